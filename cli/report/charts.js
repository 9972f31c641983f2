"use strict";

// What all pages have in common; the script of the page follows.
const pageData = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
// Told apart also by those who see few colours (Okabe & Ito), and by their shapes.
const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#b3a100", "#8c6bb1"];
const SHAPES = ["circle", "triangle", "rect", "rectRot", "star", "crossRot", "rectRounded", "cross"];
const charts = [];

function element(tag, text, parent) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function short(value) {
  const rounded = Number(value.toPrecision(3));
  return rounded !== 0 && Math.abs(rounded) < 1e-3 ? rounded.toExponential() : rounded.toString();
}

function kernelText(kernel) {
  const parameters = Object.entries(kernel.parameters).map(([name, value]) => `, ${name} = ${short(value)}`);
  return `${kernel.name} kernel${parameters.join("")}`;
}

// How the points of a class are drawn: eight colours, then the same with other shapes.
function classLook(number) {
  const color = COLORS[number % COLORS.length] + "b0";
  return {
    backgroundColor: color,
    borderColor: color,
    pointStyle: SHAPES[Math.floor(number / COLORS.length) % SHAPES.length],
    pointRadius: 2.5,
  };
}

function axis(title, logarithmic, most) {
  const ticks = { color: () => variable("--quiet"), maxRotation: 0, autoSkipPadding: 12 };
  if (logarithmic) {
    ticks.callback = (value) => (/^[125]/.test(value.toExponential()) ? short(value) : "");
  }
  return {
    type: logarithmic ? "logarithmic" : "linear",
    title: { display: true, text: title, color: () => variable("--ink") },
    grid: { color: () => variable("--line") },
    ticks,
    afterDataLimits: (scale) => {
      if (most !== undefined) scale.max = Math.min(scale.max, most);
    },
  };
}

// A figure with a heading, a canvas and a caption below it; `place` is the id of the element that takes it.
function draw(title, caption, config, { tools, place = "charts", legend = true } = {}) {
  const figure = element("figure", undefined, document.getElementById(place));
  element("h2", title, figure);
  if (tools) figure.append(tools);
  const drawing = element("div", undefined, figure);
  drawing.className = "drawing";
  const canvas = element("canvas", undefined, drawing);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${title}. ${caption}`);
  element("figcaption", caption, figure);
  config.options = {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    plugins: {
      legend: { display: legend, labels: { color: () => variable("--ink"), usePointStyle: true, boxHeight: 7 } },
      tooltip: { callbacks: { label: (item) => item.raw.name } },
    },
    ...config.options,
  };
  const chart = new Chart(canvas, config);
  charts.push(chart);
  return chart;
}

dark.addEventListener("change", () => charts.forEach((chart) => chart.update()));
