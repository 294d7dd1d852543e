// Opens the GPU, and hands it to the three parts of the page.
import { GpuScan } from "./gpuscan/index.js";
import { visualiser } from "./visualiser.js";
import { benchmark } from "./benchmark.js";
import { focus } from "./focus.js";

const chip = document.querySelector("#gpu");

/** Says why nothing works, in place of a page that does nothing. */
function sorry(error) {
  const notice = document.querySelector("#notice");
  const what = document.createElement("p");
  what.append(document.createElement("strong"));
  what.firstChild.textContent = "This page needs WebGPU. ";
  what.append(error.message);
  const help = document.createElement("p");
  help.textContent =
    "On Linux, Chrome may want the flag chrome://flags/#enable-unsafe-webgpu; on phones, a recent Chrome or Safari " +
    "will do. The same algorithms run without a browser: see the project's README.";
  notice.append(what, help);
  notice.hidden = false;
  chip.textContent = "No GPU to show";
  for (const control of document.querySelectorAll("main button, main input, main select")) control.disabled = true;
}

try {
  const scan = await GpuScan.create();
  chip.textContent = scan.description;
  scan.device.lost.then((info) => {
    if (info.reason !== "destroyed") sorry(new Error(`The GPU was lost (${info.message}). Load the page again.`));
  });
  visualiser(scan);
  benchmark(scan);
  focus(scan);
  document.documentElement.dataset.ready = "true";
} catch (error) {
  sorry(error);
  document.documentElement.dataset.ready = "false";
}
