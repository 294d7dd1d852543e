//! `cargo xtask web`.
mod browser;

use anyhow::Result;

pub fn probe() -> Result<()> {
    let b = browser::Browser::find(true, &|s| println!("{s}"))?.map_err(anyhow::Error::msg)?;
    println!("{:?} {:?} {:?} {}", b.chromium, b.chromedriver, b.variables, b.capabilities());
    Ok(())
}
