//! A plotters backend that paints pixels, and PNG around them.
//!
//! Painted at twice the size of the file and averaged, which smooths every edge.

use std::convert::Infallible;
use std::io::Write;

use flate2::{Compression, Crc, write::ZlibEncoder};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};

use super::palette::PAPER;

/// Painted pixels an output pixel, each way.
const OVERSAMPLING: usize = 2;
/// Device units a pixel of the figure: the file has two, for sharp screens.
pub(super) const SCALE: f64 = (2 * OVERSAMPLING) as f64;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// A canvas of RGB bytes.
pub(super) struct Raster {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Raster {
    /// A white canvas of `size` device units.
    pub fn new((width, height): (u32, u32)) -> Self {
        let (width, height) = (width as usize, height as usize);
        Raster { width, height, rgb: vec![PAPER.0; 3 * width * height] }
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        let (width, height) = (self.width / OVERSAMPLING, self.height / OVERSAMPLING);
        let mut rows = Vec::with_capacity((3 * width + 1) * height);
        for y in 0..height {
            rows.push(0); // no filter
            for x in 0..width {
                for channel in 0..3 {
                    rows.push(self.mean(x, y, channel));
                }
            }
        }
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        // Writing to memory does not fail.
        let _ = zlib.write_all(&rows);
        let mut header = Vec::new();
        header.extend((width as u32).to_be_bytes());
        header.extend((height as u32).to_be_bytes());
        header.extend([8, 2, 0, 0, 0]); // 8 bits, RGB, deflate, adaptive filters, not interlaced
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut png, b"IHDR", &header);
        chunk(&mut png, b"IDAT", &zlib.finish().unwrap_or_default());
        chunk(&mut png, b"IEND", &[]);
        png
    }

    fn mean(&self, x: usize, y: usize, channel: usize) -> u8 {
        let mut sum = 0;
        for dy in 0..OVERSAMPLING {
            for dx in 0..OVERSAMPLING {
                let pixel = (y * OVERSAMPLING + dy) * self.width + x * OVERSAMPLING + dx;
                sum += usize::from(self.rgb[3 * pixel + channel]);
            }
        }
        (sum / (OVERSAMPLING * OVERSAMPLING)) as u8
    }

    /// A straight stroke with round ends.
    fn capsule(&mut self, a: BackendCoord, b: BackendCoord, radius: f64, color: BackendColor) {
        let reach = radius.ceil() as i32;
        let point = |p: BackendCoord| (f64::from(p.0), f64::from(p.1));
        let ((ax, ay), (bx, by)) = (point(a), point(b));
        let square = (bx - ax).powi(2) + (by - ay).powi(2);
        for y in (a.1.min(b.1) - reach).max(0)..=(a.1.max(b.1) + reach).min(self.height as i32 - 1)
        {
            let (fy, x_range) = (f64::from(y), self.reach(a, b, reach, y));
            for x in x_range {
                let fx = f64::from(x);
                let t = if square == 0.0 {
                    0.0
                } else {
                    (((fx - ax) * (bx - ax) + (fy - ay) * (by - ay)) / square).clamp(0.0, 1.0)
                };
                if (fx - ax - t * (bx - ax)).hypot(fy - ay - t * (by - ay)) <= radius {
                    let _ = self.draw_pixel((x, y), color);
                }
            }
        }
    }

    /// The columns of row `y` that a stroke from `a` to `b` can touch.
    fn reach(
        &self,
        a: BackendCoord,
        b: BackendCoord,
        reach: i32,
        y: i32,
    ) -> std::ops::RangeInclusive<i32> {
        let (low, high) = (a.0.min(b.0) - reach, a.0.max(b.0) + reach);
        let (dx, dy) = (f64::from(b.0 - a.0), f64::from(b.1 - a.1));
        let (mut low, mut high) = (low, high);
        if dy.abs() > f64::from(reach) {
            let middle = f64::from(a.0) + dx * f64::from(y - a.1) / dy;
            let half = f64::from(reach) * (1.0 + (dx / dy).abs()) + 1.0;
            low = low.max((middle - half) as i32);
            high = high.min((middle + half) as i32);
        }
        low.max(0)..=high.min(self.width as i32 - 1)
    }
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    png.extend(kind);
    png.extend(data);
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    png.extend(crc.sum().to_be_bytes());
}

impl DrawingBackend for Raster {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width as u32, self.height as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        if (0..self.width as i32).contains(&x) && (0..self.height as i32).contains(&y) {
            let at = 3 * (y as usize * self.width + x as usize);
            let (r, g, b) = color.rgb;
            for (old, new) in self.rgb[at..at + 3].iter_mut().zip([r, g, b]) {
                let (was, becomes) = (f64::from(*old), f64::from(new));
                *old = (was + (becomes - was) * color.alpha.clamp(0.0, 1.0)).round() as u8;
            }
        }
        Ok(())
    }

    /// Joints are round; plotters' own polygons grow spikes at sharp ones.
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let mut last = None;
        for point in path {
            if let Some(from) = last {
                self.capsule(from, point, f64::from(style.stroke_width()) / 2.0, style.color());
            }
            last = Some(point);
        }
        Ok(())
    }

    /// `at` is on the baseline, which plotters draws half a size below the top.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let font = |e: S::FontError| DrawingErrorKind::FontError(Box::new(e));
        let (_, (width, _)) = style.layout_box(text).map_err(font)?;
        let upwards = matches!(style.transform(), FontTransform::Rotate270);
        let shift = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Center => width / 2,
            HPos::Right => width,
        };
        let rise = (style.size() / 2.0) as i32;
        let drawn = style.draw(text, (0, 0), |x, y, color| {
            let (x, y) = (x - shift, y - rise);
            let (x, y) = if upwards { (y, -x) } else { (x, y) };
            self.draw_pixel((at.0 + x, at.1 + y), color)
        });
        drawn.map_err(font)?
    }
}
