//! A program that sends frames of arbitrary words over the shared file, to try the transport alone, also under Wine:
//!
//! ```text
//! cargo run -p afterimage-ipc --example guest -- viewer &      # Linux only
//! cargo run -p afterimage-ipc --example guest -- 100           # frames
//! ```

use afterimage_ipc::shared::{Options, SharedLink};
use afterimage_stream::{Link, LinkError};
use std::time::Instant;

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "100".into());
    match argument.parse() {
        Ok(frames) => guest(frames),
        Err(_) => viewer(),
    }
}

fn guest(frames: u64) {
    let mut link = SharedLink::connect(&Options::default()).unwrap_or_else(|error| panic!("{error}"));
    println!("connected, device {}", link.device().name());
    let mut epoch = link.epoch();
    let start = Instant::now();
    let (mut words, mut uploaded) = (0u64, 0u64);
    let (mut batch, mut texels) = (Vec::new(), vec![0; 4 << 20]);
    let mut frame = 1;
    while frame <= frames {
        let mut send = || {
            for _ in 0..16 {
                batch.resize(2048, frame);
                words += 2048;
                link.submit(&mut batch)?;
            }
            let range = link.alloc(4 << 20, 256)?;
            texels.fill(frame as u8);
            link.write(&range, 0, &texels);
            uploaded += 4 << 20;
            batch.extend([u64::MAX, frame]);
            link.submit(&mut batch)?;
            link.end_frame(frame)
        };
        match send() {
            Ok(()) => frame += 1,
            Err(LinkError::Lost) => {
                println!("lost in frame {frame}");
                while link.epoch() == epoch {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                epoch = link.epoch();
                println!("back, epoch {epoch}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{frames} frames, {:.3} ms each", seconds * 1e3 / frames as f64);
    println!("{:.0} MB/s packets, {:.0} MB/s uploads", words as f64 * 8e-6 / seconds, uploaded as f64 * 1e-6 / seconds);
}

#[cfg(not(unix))]
fn viewer() {
    panic!("the viewer runs on Linux");
}

#[cfg(unix)]
fn viewer() {
    use afterimage_ipc::serve;
    use afterimage_ipc::shared::{Found, Host};
    use afterimage_stream::{Arena, DeviceInfo, Executor, Reply, StreamError};

    /// Answers the last word of each frame.
    struct Answer(Vec<u64>);

    impl Executor for Answer {
        fn execute(&mut self, batch: &[u64], _: &dyn Arena, _: &mut dyn FnMut(Reply)) -> Result<(), Box<StreamError>> {
            if let [u64::MAX, frame] = *batch {
                self.0.push(frame);
            }
            Ok(())
        }

        fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
            self.0.drain(..).for_each(|frame| replies(Reply::FrameDone { frame }));
        }
    }

    let mut host = Host::open(None).unwrap_or_else(|error| panic!("{error}"));
    println!("waiting in {}", host.directory().display());
    loop {
        for found in host.scan().unwrap_or_default() {
            match found {
                Found::Program(claim) => {
                    println!("{} ({} bits) connected", claim.program(), claim.pointer_bits());
                    let mut channel = claim.open().unwrap_or_else(|error| panic!("{error}"));
                    channel.accept(&DeviceInfo::default());
                    serve(&mut channel, &mut Answer(Vec::new()));
                    println!("{} left {}", channel.program(), channel.failure().unwrap_or_default());
                    return;
                }
                Found::Refused(error) => println!("{error}"),
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
