/* Two else options in one choice. */
byte x;
active proctype P()
{
    if
    :: x == 1
    :: else -> x = 2
    :: else -> x = 3
    fi
}
