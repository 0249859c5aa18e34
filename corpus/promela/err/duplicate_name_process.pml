/* Two process types of one name. */
active proctype P() { skip }
active proctype P() { skip }
