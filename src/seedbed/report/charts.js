// The figures. Plotly draws them; colours come from the style, so that they follow the theme.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const view = document.getElementById("view");
const dashes = ["solid", "dash", "dashdot", "longdash", "longdashdot", "dot"];
const symbols = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star"];
// Yellow is near, blue is far; on dark ground a lighter blue, so that it does not look like an empty square.
const nearToFar = {
  light: [[0, "#fee838"], [0.5, "#7d7c78"], [1, "#00224e"]],
  dark: [[0, "#fee838"], [0.5, "#9a978c"], [1, "#3f7fe0"]],
};
const config = { displaylogo: false, responsive: true, displayModeBar: false, scrollZoom: false };
const paper = { width: 640, height: 380 };
const longest = 40;
const short = (name) => (name.length > longest ? `${name.slice(0, longest - 1)}…` : name);
const plain = (name) => short(name).replaceAll("<", "‹").replaceAll("&", "＆");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function shadeOf(place) {
  return colour(`--line-${place % 7}`);
}

function rgba(shade, share) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(shade.slice(at, at + 2), 16));
  return `rgba(${red},${green},${blue},${share})`;
}

function layout(x, y, more = {}) {
  const ink = colour("--ink");
  const grid = colour("--grid");
  const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true, fixedrange: true };
  const { xaxis, yaxis, ...rest } = more;
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink, family: "system-ui, sans-serif", size: 13 },
    margin: { l: 8, r: 28, t: 8, b: 8 },
    hovermode: "x unified",
    hoverlabel: { bgcolor: colour("--card"), bordercolor: grid, font: { color: ink }, namelength: -1 },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
    showlegend: true,
    ...(theme.printing ? paper : {}),
    xaxis: { ...axis, title: { text: x, standoff: 8 }, ...xaxis },
    yaxis: { ...axis, title: { text: y, standoff: 8 }, rangemode: "tozero", ...yaxis },
    ...rest,
  };
}

function lines(x, curve, name, shade, dash, hover) {
  const group = { legendgroup: name };
  const line = {
    x, y: curve.mean, name, mode: "lines", line: { color: shade, width: 2.5, dash }, hovertemplate: hover, ...group,
  };
  if (!curve.low) return [line];
  const edge = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false, ...group };
  return [
    { ...edge, y: curve.low },
    { ...edge, y: curve.high, fill: "tonexty", fillcolor: rgba(shade, 0.18) },
    line,
  ];
}

function shown() {
  const [by, name] = JSON.parse(view.value);
  return data.pairs
    .filter((pair) => pair[by] === name)
    .map((pair) => {
      const label = by === "strategy" ? pair.order : pair.strategy;
      const place = (by === "strategy" ? data.orders : data.strategies).indexOf(label);
      const oracle = pair.oracle && by === "strategy";
      return {
        pair,
        label: plain(label) + (oracle ? " (knows the whole web)" : ""),
        shade: oracle ? colour("--muted") : shadeOf(place),
        dash: dashes[oracle ? 1 : Math.floor(place / 7) % 5],
        symbol: symbols[place % symbols.length],
      };
    });
}

// The most that any order can hold: from the seeds shown, or from any of those that are compared.
function bound() {
  const [by, name] = JSON.parse(view.value);
  const most = by === "strategy" ? data.bounds[name] : data.bound;
  return lines([0, ...data.fetched], { mean: [0, ...most] }, "bound: no order can hold more", colour("--ink"), "dot", "%{y:.1f} %");
}

// The same pair with seeds chosen on the web that judges them: a thin line in the same colour.
function inSample({ pair, label, shade }) {
  if (!pair.in_sample) return [];
  return [{
    x: [0, ...data.fetched], y: [0, ...pair.in_sample], name: `${label}, in-sample`, mode: "lines",
    line: { color: shade, width: 1, dash: "dash" }, hovertemplate: "%{y:.1f} %", legendgroup: label, showlegend: false,
  }];
}

function drawPagerank() {
  const traces = shown().flatMap((one) => [...lines([0, ...data.fetched], {
    mean: [0, ...one.pair.mean],
    low: one.pair.low && [0, ...one.pair.low],
    high: one.pair.high && [0, ...one.pair.high],
  }, one.label, one.shade, one.dash, "%{y:.1f} %"), ...inSample(one)]);
  const xaxis = { hoverformat: ",d", tickformat: ",d", range: [0, data.fetched.at(-1)] };
  Plotly.react("chart-pagerank", [...traces, ...bound()], layout("pages fetched", "PageRank held, %", { xaxis }), config);
}

function drawDepth() {
  const traces = shown().map(({ pair, label, shade, dash, symbol }) => ({
    x: pair.depth.map((_, depth) => depth), y: pair.depth, name: label, mode: "lines+markers",
    line: { color: shade, width: 2, dash }, marker: { symbol, size: 7, color: shade }, hovertemplate: "%{y:,.0f} pages",
  }));
  const deepest = Math.max(...traces.map((trace) => trace.x.length)) - 1;
  const xaxis = { dtick: deepest > 20 ? 5 : 1, hoverformat: "d", tickformat: "d" };
  const yaxis = { tickformat: ",d" };
  const title = `links from a seed${data.folded ? ` (${data.folded}: and more)` : ""}`;
  Plotly.react("chart-depth", traces, layout(title, "pages", { xaxis, yaxis }), config);
}

function drawGain() {
  const traces = data.gain.flatMap((curve, place) => {
    const x = curve.mean.map((_, at) => at + 1);
    const dash = (curve.chosen_by ? ["dot", "longdashdot"] : ["solid", "dash"])[Math.floor(place / 7) % 2];
    return lines(x, curve, plain(curve.strategy), shadeOf(place), dash, "%{y:.1f} %");
  });
  const xaxis = { hoverformat: ",d", tickformat: ",d", rangemode: "tozero" };
  Plotly.react("chart-gain", traces, layout("seeds", "within reach, %", { xaxis }), config);
}

function drawCores(place) {
  const matrix = data.cores[place.dataset.strategy];
  const names = matrix.map((_, at) => at + 1);
  const room = place.clientWidth / matrix.length;
  const gap = room > 12 ? 1 : 0;
  const farthest = Math.max(...matrix.flat());
  const trace = {
    type: "heatmap", x: names, y: names, z: matrix, xgap: gap, ygap: gap, colorscale: nearToFar[theme.now()],
    hovertemplate: "from core %{y} to core %{x}: %{z} links<extra></extra>", hoverongaps: false,
    texttemplate: room > 24 ? "%{z}" : "",
    colorbar: { title: { text: "links" }, thickness: 12, len: 0.6, tick0: 0, dtick: Math.ceil(farthest / 8) || 1 },
  };
  const ends = [0.5, matrix.length + 0.5];
  const steps = [1, 2, 5, 10, 20, 50].find((step) => room * step > 24) || 100;
  const axis = { showgrid: false, zeroline: false, dtick: steps, tick0: steps, constrain: "domain", tickangle: 0 };
  const more = {
    xaxis: { ...axis, range: ends, constraintoward: "left" },
    yaxis: { ...axis, range: ends.toReversed(), scaleanchor: "x", rangemode: "normal", constraintoward: "top" },
    hovermode: "closest", showlegend: false,
  };
  Plotly.react(place, [trace], layout("to core", "from core", more), config);
}

function drawAll() {
  drawPagerank();
  drawDepth();
  drawGain();
  for (const place of document.querySelectorAll("[data-strategy].chart")) drawCores(place);
}

function offer(title, by, names, best) {
  const group = document.createElement("optgroup");
  group.label = title;
  for (const name of names) {
    const option = new Option(by === "strategy" ? `orders, from the seeds of ${name}` : `seeds, in the order ${name}`);
    option.value = JSON.stringify([by, name]);
    option.selected = by === "strategy" && name === best;
    group.append(option);
  }
  view.append(group);
}

offer("Compare orders", "strategy", data.strategies, data.best.strategy);
offer("Compare seeds", "order", data.orders, data.best.order);
view.addEventListener("change", () => { drawPagerank(); drawDepth(); });
document.addEventListener("theme", drawAll);
