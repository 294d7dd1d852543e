//! Tests of the package and the page, as a visitor uses them.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::driver::Browser;
use crate::serve::Server;

/// One test: a name, and what it does with a browser and the server's address.
type Test = (&'static str, fn(&Visit) -> Result<()>);

const TESTS: &[Test] = &[
    ("the_package_scans_typed_arrays", the_package_scans_typed_arrays),
    ("the_package_has_what_is_made_of_scans", the_package_has_what_is_made_of_scans),
    ("the_package_works_on_a_device_of_the_pages_own", the_package_works_on_a_device_of_the_pages_own),
    ("the_package_says_what_is_wrong", the_package_says_what_is_wrong),
    ("the_plain_example_shows_its_sums", the_plain_example_shows_its_sums),
    ("rounds_can_be_stepped_through", rounds_can_be_stepped_through),
    ("a_swipe_goes_to_the_next_round", a_swipe_goes_to_the_next_round),
    ("numbers_can_be_typed", numbers_can_be_typed),
    ("look_back_comes_to_an_end", look_back_comes_to_an_end),
    ("a_benchmark_runs_and_is_checked", a_benchmark_runs_and_is_checked),
    ("a_picture_is_blurred_around_the_focus", a_picture_is_blurred_around_the_focus),
    ("everything_has_a_name", everything_has_a_name),
    ("it_fits_and_looks_right", it_fits_and_looks_right),
    ("a_browser_without_webgpu_gets_a_message", a_browser_without_webgpu_gets_a_message),
];

/// What a test has to do with.
struct Visit<'a> {
    browser: Browser,
    site: String,
    screenshots: &'a Path,
}

/// Runs all tests, and reports as Rust's own do.
pub fn test(folder: &Path, chromedriver: &Path, capabilities: &str, screenshots: &Path) -> Result<()> {
    let server = Server::start(folder, 0)?;
    let capabilities: Value = serde_json::from_str(capabilities)?;
    let visit = Visit {
        browser: Browser::start(chromedriver, &capabilities)?,
        site: format!("http://localhost:{}", server.port),
        screenshots,
    };
    // As of `cargo test NAME`.
    let filter = std::env::var("GPUSCAN_PAGES").unwrap_or_default();
    let tests: Vec<_> = TESTS.iter().filter(|(name, _)| name.contains(&filter)).collect();
    println!("\nrunning {} tests", tests.len());
    let mut failed = 0;
    for (name, test) in &tests {
        let result =
            visit.browser.look(1280, 800, "light").and_then(|()| test(&visit)).and_then(|()| visit.quiet());
        match result {
            Ok(()) => println!("test {name} ... ok"),
            Err(error) => {
                failed += 1;
                println!("test {name} ... FAILED: {error:#}");
                if let Ok(Value::String(notice)) =
                    visit.run("return document.querySelector('#notice')?.textContent")
                {
                    println!("    notice: {notice}");
                }
                // What it wrote shall not fail the next one too.
                for line in visit.browser.complaints()? {
                    println!("    console: {line}");
                }
            }
        }
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {word}. {} passed; {failed} failed", tests.len() - failed);
    ensure!(failed == 0, "{failed} tests failed");
    Ok(())
}

impl Visit<'_> {
    /// Opens the page and waits until it computes.
    fn open(&self) -> Result<()> {
        self.browser.open(&format!("{}/", self.site))?;
        let ready = "return document.documentElement.dataset.ready === 'true' && \
             document.querySelector('#stage svg') !== null";
        self.browser.wait("the page to be ready", ready).with_context(|| {
            let notice = self.browser.run("return document.querySelector('#notice')?.textContent");
            format!("the page says {notice:?}")
        })
    }

    /// Waits until the picture is drawn.
    fn picture(&self) -> Result<()> {
        self.browser.wait("the picture", "return document.querySelector('#canvas').dataset.ready === 'true'")
    }

    /// A page with nothing on it, that may import the package.
    fn open_blank(&self) -> Result<()> {
        self.browser.open(&format!("{}/blank", self.site))
    }

    fn run(&self, script: &str) -> Result<Value> {
        self.browser.run(script)
    }

    fn text(&self, selector: &str) -> Result<String> {
        let text = self.run(&format!("return document.querySelector({}).textContent", json!(selector)))?;
        Ok(text.as_str().unwrap_or("").trim().to_owned())
    }

    /// Fails if the console shows anything.
    fn quiet(&self) -> Result<()> {
        let complaints = self.browser.complaints()?;
        ensure!(complaints.is_empty(), "the console says {complaints:?}");
        Ok(())
    }
}

#[track_caller]
fn same(found: &Value, wanted: Value, what: &str) -> Result<()> {
    ensure!(*found == wanted, "{what}: expected {wanted}, found {found}");
    Ok(())
}

fn the_package_scans_typed_arrays(visit: &Visit) -> Result<()> {
    visit.open_blank()?;
    let found = visit.run(
        "const { GpuScan } = await import('/gpuscan/index.js');
         const scan = await GpuScan.create();
         const results = [];
         for (const Kind of [Uint32Array, Int32Array, Float32Array]) {
             const values = new Kind([3, 1, 7, 0, 4, 2, 1, 6]);
             for (const algorithm of ['auto', 'single-tile', 'three-pass', 'single-pass', 'hillis-steele', 'blelloch']) {
                 const [sums, before] = await Promise.all([
                     scan.inclusive(values, { algorithm }), scan.exclusive(values, { algorithm })]);
                 if (!(sums instanceof Kind && before instanceof Kind)) return 'another type';
                 results.push([...sums].join(' ') + ' | ' + [...before].join(' '));
             }
         }
         const many = Uint32Array.from({ length: 1_000_003 }, (_, i) => Math.imul(i, 2654435761));
         const [input, output] = [scan.upload(many), scan.zeros('u32', many.length)];
         scan.exclusiveInto(input, output);
         const found = await output.read();
         let sum = 0;
         const wrong = many.findIndex((value, i) => {
             const differs = found[i] !== sum;
             sum = (sum + value) >>> 0;
             return differs;
         });
         input.destroy();
         return [[...new Set(results)], wrong, output.buffer instanceof GPUBuffer, (await scan.inclusive(new Int32Array())).length];",
    )?;
    let sums = "3 4 11 11 15 17 18 24 | 0 3 4 11 11 15 17 18";
    same(&found, json!([[sums], -1, true, 0]), "sums, first wrong one of a million, buffer, empty")
}

/// Totals, compaction, sorts and histograms against plain JavaScript. Every operator and option for one element type,
/// for the others what depends on the type: kernels take their time to compile.
fn the_package_has_what_is_made_of_scans(visit: &Visit) -> Result<()> {
    visit.open_blank()?;
    // A script for each: a slow machine may take minutes for all.
    for (kind, calls) in [
        ("Int32Array", "await common();"),
        ("Uint32Array", "await common();"),
        ("Float32Array", "await common();"),
        ("Float32Array", "await others();"),
    ] {
        let wrong = visit.run(&format!("const Kind = {kind}; {MADE_OF_SCANS} {calls} return wrong;"))?;
        same(&wrong, json!([]), kind)?;
    }
    Ok(())
}

const MADE_OF_SCANS: &str = "
    const { GpuScan } = await import('/gpuscan/index.js');
    const scan = globalThis.scan ??= await GpuScan.create();
    const wrong = [];
    const same = (what, found, wanted) => {
        if (String(found) !== String(wanted)) wrong.push(`${what}: expected ${wanted}, found ${found}`);
    };
    // Some of them negative where they can be, and many there more than once.
    const values = Kind.from({ length: 5000 }, (_, i) => (Math.imul(i, 40503) >>> 4 & 63) - 20);
    const plain = [...values];
    const sorted = [...plain].sort((a, b) => a - b);
    const common = async () => {
        same('max', await scan.reduce(values, { operator: 'max' }), sorted.at(-1));
        same('sort', await scan.sort(values), sorted);
        const counts = [0, 0, 0, 0];
        for (const value of plain) if (value >= 8 && value < 40) counts[(value - 8) >> 3] += 1;
        same('histogram', await scan.histogram(values, { bins: 4, from: 8, to: 40 }), counts);
    };
    const others = async () => {
        same('sum', await scan.reduce(values), plain.reduce((a, b) => a + b));
        same('min', await scan.reduce(values, { operator: 'min' }), sorted[0]);
        let most = -Infinity;
        const maxima = plain.map((value) => (most = Math.max(most, value)));
        same('running max', await scan.inclusive(values, { operator: 'max' }), maxima);
        const kept = plain.filter((value) => value > 20);
        same('compact where', await scan.compact(values, 'value > 20.0'), kept);
        same('compact by flags', await scan.compact(values, Uint32Array.from(plain, (value) => value > 20)), kept);
        same('sort downwards', await scan.sort(values, { descending: true }), [...sorted].reverse());
        const order = plain.map((_, i) => i).sort((a, b) => plain[a] - plain[b] || a - b);
        same('argsort', await scan.argsort(values), order);
    };";

fn the_package_works_on_a_device_of_the_pages_own(visit: &Visit) -> Result<()> {
    visit.open_blank()?;
    let found = visit.run(
        "const { GpuScan } = await import('/gpuscan/index.js');
         const answers = [];
         for (const subgroups of [true, false]) {
             const adapter = await navigator.gpu.requestAdapter();
             const requiredFeatures = subgroups ? ['subgroups'] : [];
             const device = await adapter.requestDevice({ requiredFeatures });
             const gpu = navigator.gpu;
             const scan = await GpuScan.create({ device });
             if (navigator.gpu !== gpu || Object.hasOwn(navigator, 'gpu')) return 'navigator.gpu was not put back';
             const values = Float32Array.from({ length: 20_000 }, (_, i) => Math.fround(Math.sin(i)));
             const sums = await scan.inclusive(values);
             // The page's own command on the library's buffer.
             const array = scan.upload(new Uint32Array([1, 2, 3, 4]));
             const encoder = device.createCommandEncoder();
             encoder.clearBuffer(array.buffer, 4, 8);
             device.queue.submit([encoder.finish()]);
             scan.inclusiveInto(array, array);
             answers.push([scan.device === device, scan.description.includes('no subgroups'), [...await array.read()],
                 [...new Uint32Array(sums.buffer)].reduce((a, b) => (Math.imul(a, 31) + b) >>> 0, 0)]);
         }
         return answers;",
    )?;
    let [with, without] = [&found[0], &found[1]];
    ensure!(with[3] == without[3], "bits differ with and without subgroups: {found}");
    same(&with[1], json!(false), "no subgroups where the device has them")?;
    for answer in [with, without] {
        same(&answer[0], json!(true), "the page's device")?;
        same(&answer[2], json!([1, 1, 1, 5]), "what both wrote into one buffer")?;
    }
    Ok(())
}

fn the_package_says_what_is_wrong(visit: &Visit) -> Result<()> {
    visit.open_blank()?;
    let found = visit.run(
        "const { GpuScan } = await import('/gpuscan/index.js');
         const scan = await GpuScan.create();
         const errors = [];
         const fails = async (call) => {
             try { await call(); errors.push('nothing'); } catch (error) { errors.push(error.message); }
         };
         await fails(() => scan.inclusive([1, 2, 3]));
         await fails(() => scan.inclusive(new Uint32Array(9000), { algorithm: 'single-tile' }));
         await fails(() => scan.inclusive(new Uint32Array(5), { algorithm: 'magic' }));
         await fails(() => scan.inclusiveInto(scan.zeros('u32', 3), scan.zeros('u32', 4)));
         await fails(() => scan.inclusiveInto(scan.zeros('u32', 3), scan.zeros('f32', 3)));
         await fails(() => scan.upload(new Uint32Array(3)).write(new Uint32Array(4)));
         await fails(() => scan.trace('blelloch', new Uint32Array(600)));
         await fails(() => scan.reduce(new Uint32Array(3), { operator: 'mean' }));
         await fails(() => scan.compact(new Uint32Array(3), new Int32Array(3)));
         await fails(() => scan.compact(new Uint32Array(3), 'nonsense'));
         await fails(() => scan.argsortInto(scan.zeros('f32', 3), scan.zeros('f32', 3)));
         await fails(() => scan.histogram(new Uint32Array(3), { bins: 3, from: 1, to: 1 }));
         const array = scan.zeros('i32', 3);
         array.destroy();
         await fails(() => array.read());
         return errors;",
    )?;
    let wanted = [
        "expected a Uint32Array, an Int32Array or a Float32Array, found Array",
        "found 9000",
        "expected one of auto, single-tile, three-pass, single-pass, hillis-steele, blelloch, found magic",
        "expected 3 elements, found 4",
        "expected arrays of one type, found u32 and f32",
        "expected 3 elements, found 4",
        "expected at most 512 elements, found 600",
        "expected sum, min or max, found mean",
        "expected flags of u32, found i32",
        "nonsense",
        "expected indices of u32, found f32",
        "range",
        "this GpuArray was destroyed",
    ];
    for (i, wanted) in wanted.iter().enumerate() {
        let message = found[i].as_str().unwrap_or("");
        ensure!(message.contains(wanted), "expected an error with “{wanted}”, found “{message}”");
    }
    Ok(())
}

fn the_plain_example_shows_its_sums(visit: &Visit) -> Result<()> {
    visit.browser.open(&format!("{}/gpuscan/example.html", visit.site))?;
    let shown = "return document.querySelector('#sums').textContent.startsWith('3 4 11 11 15 17 18 24, on ')";
    visit.browser.wait("the example's sums", shown)
}

/// The values of the row that is shown as the current one.
const ROW: &str =
    "[...document.querySelectorAll('.row.now .cell text')].map((cell) => cell.textContent).join(' ')";

fn rounds_can_be_stepped_through(visit: &Visit) -> Result<()> {
    visit.open()?;
    let row = || visit.run(&format!("return {ROW}"));
    same(&row()?, json!("3 1 7 0 4 2 1 6"), "loaded")?;
    visit.browser.click("#next")?;
    same(&row()?, json!("3 4 8 7 4 6 3 7"), "offset 1")?;
    // Right, by the keyboard.
    visit.browser.keys("#stage", "\u{e014}")?;
    same(&row()?, json!("3 4 11 11 12 13 7 13"), "offset 2")?;
    visit.browser.click("#last")?;
    same(&row()?, json!("3 4 11 11 15 17 18 24"), "offset 4")?;
    ensure!(visit.text("#caption")?.contains("Done"), "no word of the end");

    visit.browser.click("input[value=blelloch] + span")?;
    visit.browser.wait("Blelloch's rounds", "return document.querySelector('#round').max === '7'")?;
    visit.browser.keys("#stage", "\u{e010}")?;
    same(&row()?, json!("0 3 4 11 11 15 17 18"), "the end of Blelloch's")?;
    visit.browser.click("#back")?;
    same(&row()?, json!("3 0 7 4 4 11 1 17"), "before")?;
    visit.browser.click("#play")?;
    visit.browser.wait("playing to the end", "return document.querySelector('#play').textContent === 'Play' && document.querySelector('#round').value === '7'")
}

/// A finger on a phone, from right to left and back.
fn a_swipe_goes_to_the_next_round(visit: &Visit) -> Result<()> {
    visit.browser.look(360, 740, "light")?;
    visit.open()?;
    let place = visit.run(
        "const stage = document.querySelector('#stage');
         stage.scrollIntoView({ block: 'center' });
         const { x, y, width, height } = stage.getBoundingClientRect();
         return [x + width / 2, y + height / 2]",
    )?;
    let (middle, y) = (place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0));
    let swipe = |way: f64| -> Result<()> {
        for (kind, step) in [("touchStart", 0.0), ("touchMove", 1.0), ("touchMove", 2.0), ("touchMove", 3.0)]
        {
            let points = json!([{ "x": middle + way * (30.0 * step - 45.0), "y": y }]);
            visit
                .browser
                .devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }))?;
        }
        let end = json!({ "type": "touchEnd", "touchPoints": [] });
        visit.browser.devtools("Input.dispatchTouchEvent", end).map(drop)
    };
    let round = || visit.run("return document.querySelector('#round').value");
    swipe(-1.0)?;
    same(&round()?, json!("1"), "to the left")?;
    swipe(-1.0)?;
    same(&round()?, json!("2"), "to the left again")?;
    swipe(1.0)?;
    same(&round()?, json!("1"), "to the right")
}

fn numbers_can_be_typed(visit: &Visit) -> Result<()> {
    visit.open()?;
    let type_in = |text: &str| -> Result<()> {
        // Everything that is there, then the text.
        visit.browser.keys("#numbers", "\u{e009}a")?;
        visit.browser.keys("#numbers", &format!("\u{e000}{text}"))
    };
    type_in("1 2 3 4 5 6")?;
    visit.browser.wait("six numbers", &format!("return {ROW} === '1 2 3 4 5 6'"))?;
    visit.browser.click("#last")?;
    same(&visit.run(&format!("return {ROW}"))?, json!("1 3 6 10 15 21"), "sums of six")?;
    type_in("1 two 3")?;
    ensure!(visit.text("#numbers-error")?.contains("found “two”"), "{}", visit.text("#numbers-error")?);
    type_in("4294967295 1")?;
    visit.browser.wait("two numbers", &format!("return {ROW} === '4294967295 1'"))?;
    visit.browser.click("#last")?;
    same(&visit.run(&format!("return {ROW}"))?, json!("4294967295 0"), "wrapping around")
}

fn look_back_comes_to_an_end(visit: &Visit) -> Result<()> {
    visit.open()?;
    visit.browser.click("input[value=look-back] + span")?;
    visit.browser.wait("tiles", "return document.querySelectorAll('.tile').length === 6")?;
    visit.browser.click("#next")?;
    same(&visit.run("return document.querySelectorAll('.tile.acting').length")?, json!(1), "who acts")?;
    visit.browser.click("#last")?;
    let written =
        "return [...document.querySelectorAll('.tile .out li')].map((item) => item.textContent).join(' ')";
    let sums = "3 4 11 11 15 17 18 24 27 28 35 35 39 41 42 48 51 52 59 59 63 65 66 72";
    same(&visit.run(written)?, json!(sums), "what the tiles wrote")?;
    for _ in 0..14 {
        visit.browser.click("#back")?;
    }
    visit.run("document.querySelector('#watch').scrollIntoView()")?;
    visit.browser.screenshot(&visit.screenshots.join("look-back.png")).map(drop)
}

fn a_benchmark_runs_and_is_checked(visit: &Visit) -> Result<()> {
    visit.open()?;
    visit.run("document.querySelector('#largest').value = '16'; document.querySelector('#largest').options[0].value = '10';
               document.querySelector('#largest').value = '10'")?;
    visit.browser.click("#run")?;
    visit.browser.wait("the benchmark", "return document.querySelector('#run').disabled === false")?;
    same(&json!(visit.text("#progress-text")?), json!("Done, every point checked"), "the progress")?;
    same(&visit.run("return document.querySelectorAll('#chart circle').length")?, json!(9), "points")?;
    same(&visit.run("return document.querySelectorAll('#table tbody tr').length")?, json!(3), "rows")?;
    let permissions = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    visit.browser.devtools("Browser.grantPermissions", permissions)?;
    visit.browser.click("#copy-json")?;
    visit.browser.wait("the copy", "return document.querySelector('#copy-json').textContent === 'Copied'")?;
    let copied = visit.run("return JSON.parse(await navigator.clipboard.readText())")?;
    let points = copied["points"].as_array().context("points")?;
    ensure!(points.len() == 3 && points.iter().all(|point| point["checked"] == true), "{copied}");
    visit.browser.click("#copy-png")?;
    visit
        .browser
        .wait("the picture", "return document.querySelector('#copy-png').textContent === 'Copied'")?;
    let kinds = visit.run("return (await navigator.clipboard.read()).flatMap((item) => item.types)")?;
    same(&kinds, json!(["image/png"]), "what was copied")?;
    visit.run("document.querySelector('#measure').scrollIntoView()")?;
    visit.browser.screenshot(&visit.screenshots.join("benchmark.png")).map(drop)
}

/// A line across the picture: how much neighbours differ near the focus, and away from it.
fn a_picture_is_blurred_around_the_focus(visit: &Visit) -> Result<()> {
    visit.open()?;
    visit.picture()?;
    visit.run("document.querySelector('#use').scrollIntoView()")?;
    // Sharp everywhere, then blurred away from the focus.
    let detail = "const canvas = document.querySelector('#canvas');
         const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
         copy.drawImage(await createImageBitmap(canvas), 0, 0);
         const detail = (x) => {
             const { data } = copy.getImageData(x, 0, 100, canvas.height);
             let sum = 0;
             for (let i = 4; i < data.length; i += 4) sum += Math.abs(data[i] - data[i - 4]);
             return sum / data.length;
         };
         return [detail(462), detail(0)]";
    let set = |value: &str| -> Result<()> {
        visit.run(&format!(
            "const canvas = document.querySelector('#canvas');
             canvas.dataset.before = canvas.dataset.drawn;
             const blur = document.querySelector('#blur');
             blur.value = {value};
             blur.dispatchEvent(new Event('input'))"
        ))?;
        let drawn =
            "const { drawn, before } = document.querySelector('#canvas').dataset; return drawn !== before";
        visit.browser.wait("the next picture", drawn)
    };
    set("0")?;
    let sharp = visit.run(detail)?;
    set("1")?;
    let blurred = visit.run(detail)?;
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let text = format!("detail at the focus and far away, sharp {sharp}, blurred {blurred}");
    ensure!(number(&sharp[0]) > 0.5 && number(&sharp[1]) > 0.5, "no picture: {text}");
    ensure!(number(&blurred[0]) > 0.7 * number(&sharp[0]), "blurred at the focus: {text}");
    ensure!(number(&blurred[1]) < 0.4 * number(&sharp[1]), "sharp far away: {text}");
    let hills = visit.run(
        "return [...document.querySelectorAll('#histogram path')].filter((path) => path.getBBox().height > 40).length",
    )?;
    same(&hills, json!(3), "hills of the histogram")
}

fn everything_has_a_name(visit: &Visit) -> Result<()> {
    visit.open()?;
    let controls = visit
        .browser
        .names("button:not([hidden]), input, select, a, canvas, progress, [tabindex], [role=img]")?;
    ensure!(controls.len() > 25, "only {} controls", controls.len());
    for (name, html) in controls {
        ensure!(!name.trim().is_empty(), "no accessible name: {html}");
    }
    let heads =
        visit.run("return [...document.querySelectorAll('h1, h2')].map((head) => head.tagName).join(' ')")?;
    same(&heads, json!("H1 H2 H2 H2"), "headings")
}

/// Nothing wider than the screen, text that stands out, and pictures for people.
fn it_fits_and_looks_right(visit: &Visit) -> Result<()> {
    visit.open()?;
    visit.picture()?;
    for (width, height) in [(1280, 900), (360, 740)] {
        for scheme in ["light", "dark"] {
            visit.browser.look(width, height, scheme)?;
            visit.run("scrollTo(0, 0); await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")?;
            let wide = visit.run("return document.documentElement.scrollWidth")?;
            same(&wide, json!(width), "the page's width")?;
            let contrast = visit.run(CONTRAST)?;
            ensure!(
                contrast.as_array().is_some_and(Vec::is_empty),
                "at {width}, {scheme}: hard to read: {contrast}"
            );
            visit.browser.click("input[value=blelloch] + span")?;
            visit.browser.wait("the tree", "return document.querySelector('#round').max === '7'")?;
            visit.browser.click("#last")?;
            visit.run("document.activeElement.blur(); scrollTo(0, 0); await new Promise((done) => setTimeout(done, 600))")?;
            let file = visit.screenshots.join(format!("page-{width}-{scheme}.png"));
            let whole = visit.run("return document.documentElement.scrollHeight")?;
            visit.browser.look(width, whole.as_u64().unwrap_or(3000) as u32, scheme)?;
            let bytes = visit.browser.screenshot(&file)?;
            ensure!(bytes.len() > 40_000, "{} has next to nothing in it", file.display());
        }
    }
    Ok(())
}

/// Text whose colour is too near that of what it stands on (WCAG 2, 4.5 to 1).
const CONTRAST: &str = "
    const numbers = (colour) => {
        const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
    };
    const light = (rgb) => {
        const [r, g, b] = rgb.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const below = (node) => {
        for (; node; node = node.parentElement) {
            const colour = numbers(getComputedStyle(node).backgroundColor);
            if (colour[3] > 200) return colour;
        }
        return [255, 255, 255];
    };
    const found = [];
    for (const node of document.querySelectorAll('h1, h2, p, label, span, a, button, summary, legend, kbd')) {
        if (!node.textContent.trim() || node.closest('svg, .hidden, .skip, :disabled, [hidden]')) continue;
        const [a, b] = [light(numbers(getComputedStyle(node).color).slice(0, 3)), light(below(node).slice(0, 3))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.push(`${node.tagName} “${node.textContent.trim().slice(0, 30)}” ${ratio.toFixed(1)}`);
    }
    return found";

fn a_browser_without_webgpu_gets_a_message(visit: &Visit) -> Result<()> {
    let hide =
        json!({ "source": "Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined })" });
    let script = visit.browser.devtools("Page.addScriptToEvaluateOnNewDocument", hide)?;
    let result = (|| -> Result<()> {
        visit.browser.open(&format!("{}/", visit.site))?;
        visit.browser.wait("the message", "return document.documentElement.dataset.ready === 'false'")?;
        let notice = visit.text("#notice")?;
        ensure!(notice.contains("offers no WebGPU"), "{notice}");
        same(
            &visit.run("return document.querySelector('#notice').checkVisibility()")?,
            json!(true),
            "in sight",
        )?;
        visit.browser.screenshot(&visit.screenshots.join("without-webgpu.png"))?;
        visit.browser.open(&format!("{}/gpuscan/example.html", visit.site))?;
        visit.browser.wait(
            "the example's message",
            "return document.querySelector('#sums').textContent.includes('offers no WebGPU')",
        )
    })();
    visit.browser.devtools(
        "Page.removeScriptToEvaluateOnNewDocument",
        json!({ "identifier": script["identifier"] }),
    )?;
    result
}
