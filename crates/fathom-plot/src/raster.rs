//! Pictures as pixels.
//!
//! The drawing library draws lines and circles into pixels, but letters only with fonts: of the system, which may have none
//! (a container, a build machine), or read from a file. Here letters come from a table of pixels that is compiled in. They
//! have one size and one weight, whatever size is asked for; what they do not know becomes a question mark.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster};
use plotters::backend::BitMapBackend;
use plotters::prelude::*;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};

use crate::{Area, Failure};

const LETTER: RasterHeight = RasterHeight::Size16;

/// A picture of a size, as PNG.
pub fn png(
    size: (u32, u32),
    draw: impl FnOnce(&Area<Raster<'_>>) -> Result<(), Failure>,
) -> Result<Vec<u8>, Failure> {
    let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
    draw(&Raster(BitMapBackend::with_buffer(&mut pixels, size)).into_drawing_area())?;
    let mut packed = Vec::new();
    let mut encoder = png::Encoder::new(&mut packed, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(packed)
}

/// Pixels with letters of our own.
pub struct Raster<'a>(BitMapBackend<'a>);

type Failed<'a> = DrawingErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>;

impl<'a> DrawingBackend for Raster<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Result<(), Failed<'a>> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), Failed<'a>> {
        self.0.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Result<(), Failed<'a>> {
        self.0.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), Failed<'a>> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), Failed<'a>> {
        self.0.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        place: BackendCoord,
    ) -> Result<(), Failed<'a>> {
        let (width, height) = extent(text);
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => 0,
            HPos::Center => -width / 2,
            HPos::Right => -width,
        };
        let top = match anchor.v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let color = style.color();
        let limits = self.get_size();
        for (index, letter) in text.chars().map(letter).enumerate() {
            let start = left + index as i32 * letter.width() as i32;
            for (y, row) in letter.rows().enumerate() {
                for (x, &shade) in row.iter().enumerate().filter(|(_, shade)| **shade > 0) {
                    let (x, y) = style.transform().transform(start + x as i32, top + y as i32);
                    let point = (place.0 + x, place.1 + y);
                    let is_inside =
                        (0..limits.0 as i32).contains(&point.0) && (0..limits.1 as i32).contains(&point.1);
                    if is_inside {
                        let alpha = color.alpha * f64::from(shade) / 255.0;
                        self.0.draw_pixel(point, BackendColor { alpha, rgb: color.rgb })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, _: &S) -> Result<(u32, u32), Failed<'a>> {
        let (width, height) = extent(text);
        Ok((width as u32, height as u32))
    }
}

/// Width and height of a line of text.
fn extent(text: &str) -> (i32, i32) {
    let letter = letter('?');
    (text.chars().count() as i32 * letter.width() as i32, letter.height() as i32)
}

/// The pixels of a letter.
fn letter(letter: char) -> RasterizedChar {
    let pixels = |letter| get_raster(letter, FontWeight::Regular, LETTER);
    pixels(letter).or_else(|| pixels('?')).expect("the table has all of ASCII")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::text_style;

    /// The size and the pixels of a picture, three bytes each.
    pub(crate) fn decode(packed: &[u8]) -> ((u32, u32), Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(packed)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("one picture");
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        ((info.width, info.height), pixels)
    }

    /// The columns of a picture 60 wide that are not white.
    fn inked(text: &str, x: i32) -> Vec<usize> {
        let packed = png((60, 20), |root| {
            root.fill(&WHITE)?;
            root.draw_text(text, &text_style(13), (x, 2))?;
            Ok(root.present()?)
        });
        let (_, pixels) = decode(&packed.expect("a picture"));
        let is_inked = |x: &usize| (0..20).any(|y| pixels[(y * 60 + x) * 3] < 255);
        (0..60).filter(is_inked).collect()
    }

    #[test]
    fn letters_are_drawn_where_they_are_asked_for_and_cut_at_the_edge() {
        let width = extent("H").0 as usize;
        let columns = inked("H", 20);
        assert!(columns.len() > 3 && columns.iter().all(|x| (20..20 + width).contains(x)), "{columns:?}");
        assert!(inked(" ", 20).is_empty());
        assert!(inked("HHHH", 50).iter().all(|&x| x >= 50));
        assert_eq!(inked("\u{4e2d}", 20), inked("?", 20), "a letter that the table lacks");
    }
}
