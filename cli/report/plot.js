const { summary, scatter, contours } = pageData;
const shares = summary.explained_variance_ratio?.length > 0 ? summary.explained_variance_ratio : undefined;

function facts() {
  const library = summary.library_size > 0 ? `; ${summary.library_size} points in the library` : "";
  document.getElementById("facts").textContent =
    `${summary.method}, ${kernelText(summary.kernel)}; fitted to ${summary.n} rows of ${summary.d} columns; ` +
    `${summary.components} ${summary.components === 1 ? "component" : "components"}${library}`;
}

function percent(share) {
  return `${short(100 * share)} %`;
}

function sampleText() {
  const shown = scatter.points.length;
  return shown < scatter.of ? `${shown} rows, a random sample of ${scatter.of}` : `${shown} rows`;
}

// Numbers in their order, other names in that of their appearance.
function classOrder(names) {
  const order = names.map((_, number) => number);
  return names.every((name) => name !== "" && Number.isFinite(Number(name)))
    ? order.sort((a, b) => Number(names[a]) - Number(names[b]))
    : order;
}

function scatterChart() {
  const labelled = scatter.classes.length > 0;
  const names = labelled ? scatter.classes : ["rows"];
  const axisOf = (component) =>
    axis(`component ${component}` + (shares ? ` (${percent(shares[component - 1])} of the variance)` : ""), false);
  const sets = names.map(() => []);
  scatter.points.forEach(([x, y], i) => {
    if (x === null || y === null) return;
    const label = labelled ? scatter.labels[i] : 0;
    sets[label].push({ x, y, name: `${names[label]}: ${short(x)}, ${short(y)}` });
  });
  const far = scatter.points.length - sets.reduce((sum, set) => sum + set.length, 0);
  draw(
    `Components ${scatter.components.join(" and ")}`,
    `${sampleText()}${labelled ? ", coloured by label" : ""}.` +
      (far > 0 ? ` ${far} of them are far from all nodes and have no coordinates.` : ""),
    {
      type: "scatter",
      data: {
        datasets: classOrder(names).map((label, number) => ({
          label: names[label],
          ...classLook(number),
          pointRadius: scatter.points.length > 3000 ? 1.5 : 2.5,
          data: sets[label],
        })),
      },
      options: { scales: { x: axisOf(scatter.components[0]), y: axisOf(scatter.components[1]) } },
    },
    { legend: labelled },
  );
}

// What each component explains, and all up to it together; plain eigenvalues where there is no variance to explain.
function scree() {
  const eigenvalues = summary.eigenvalues ?? [];
  const values = shares?.map((share) => 100 * share) ?? (eigenvalues.length > 0 ? eigenvalues : summary.gains ?? []);
  if (values.length === 0) return;
  const what = shares ? "explained variance" : eigenvalues.length > 0 ? "eigenvalue" : "gain";
  const unit = shares ? " %" : "";
  const point = (y, i) => ({ x: String(i + 1), y, name: `component ${i + 1}: ${short(y)}${unit}` });
  const datasets = [{
    label: "each component",
    backgroundColor: COLORS[0],
    pointStyle: "rect",
    order: 1,
    data: values.map(point),
  }];
  let caption = shares ? "" : `The ${what}s of ${values.length} components.`;
  if (shares) {
    let sum = 0;
    const sums = values.map((value) => (sum += value));
    datasets.push({
      type: "line",
      label: "all up to it",
      borderColor: COLORS[1],
      backgroundColor: COLORS[1],
      borderWidth: 2,
      pointRadius: values.length > 30 ? 0 : 3,
      data: sums.map((y, i) => ({ ...point(y, i), name: `components 1 to ${i + 1}: ${short(y)} %` })),
    });
    const total = summary.total_variance;
    const least = total && total.high > total.low * (1 + 1e-9) ? "at least " : "";
    caption = `Together they explain ${least}${short(sum)} % of the variance.`;
  }
  draw(
    shares ? "Explained variance" : `${what[0].toUpperCase()}${what.slice(1)}s`,
    caption,
    {
      type: "bar",
      data: { labels: values.map((_, i) => String(i + 1)), datasets },
      options: {
        scales: {
          x: { ...axis("component", false), type: "category", grid: { display: false } },
          y: { ...axis(shares ? "% of the variance" : what, false), beginAtZero: true },
        },
      },
    },
    { legend: datasets.length > 1 },
  );
}

// A round number near a tenth of the range.
function roundStep(range) {
  const power = 10 ** Math.floor(Math.log10(range / 10));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => range / step <= 12);
}

// The lines where a function on the grid has this value, by marching squares: pairs of ends, in grid units.
function contourLines(values, side, level) {
  const lines = [];
  const at = (i, j) => values[j * side + i];
  for (let j = 0; j + 1 < side; ++j) {
    for (let i = 0; i + 1 < side; ++i) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const heights = corners.map(([x, y]) => at(x, y));
      if (heights.includes(null)) continue;
      const crossings = [];
      for (let edge = 0; edge < 4; ++edge) {
        const next = (edge + 1) % 4;
        const from = heights[edge] - level, to = heights[next] - level;
        if (from < 0 === to < 0) continue;
        const share = from / (from - to);
        crossings.push(corners[edge].map((start, k) => start + share * (corners[next][k] - start)));
      }
      if (crossings.length === 2) lines.push(crossings);
      if (crossings.length === 4) {
        // A saddle: the middle decides which two corners are cut off.
        const middle = (heights[0] + heights[1] + heights[2] + heights[3]) / 4;
        const [a, b, c, d] = crossings;
        lines.push(...(middle < level === heights[0] < level ? [[a, b], [c, d]] : [[d, a], [b, c]]));
      }
    }
  }
  return lines;
}

// The function between the nodes of the grid, in bands between the lines: the stronger the farther from zero. Several
// pixels for each node, with straight lines between them.
function fieldImage(values, side, step, most) {
  const fine = 4, width = fine * (side - 1);
  const image = document.createElement("canvas");
  image.width = image.height = width;
  const context = image.getContext("2d");
  const pixels = context.createImageData(width, width);
  for (let v = 0; v < width; ++v) {
    for (let u = 0; u < width; ++u) {
      const i = Math.floor(u / fine), j = Math.floor(v / fine);
      const s = (u + 0.5) / fine - i, t = (v + 0.5) / fine - j;
      const corners = [j * side + i, j * side + i + 1, (j + 1) * side + i, (j + 1) * side + i + 1].map((k) => values[k]);
      if (corners.includes(null)) continue;
      const [a, b, c, d] = corners;
      const value = (1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * d);
      const middle = (Math.floor(value / step) + 0.5) * step;
      const color = middle < 0 ? [0, 114, 178] : [230, 140, 0];
      pixels.data.set([...color, Math.min(255, (220 * Math.abs(middle)) / most)], 4 * ((width - 1 - v) * width + u));
    }
  }
  context.putImageData(pixels, 0, 0);
  return image;
}

// Draws field, lines and points below the axes of a chart.
function fieldPlugin(image, levels, { side, low, high, points }) {
  const radius = points.length > 2000 ? 0.9 : 1.4;
  return {
    id: "field",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales: { x, y } } = chart;
      const pixelX = (i) => x.getPixelForValue(low[0] + (i / (side - 1)) * (high[0] - low[0]));
      const pixelY = (j) => y.getPixelForValue(low[1] + (j / (side - 1)) * (high[1] - low[1]));
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.width, area.height);
      ctx.clip();
      ctx.drawImage(image, area.left, area.top, area.width, area.height);
      ctx.strokeStyle = ctx.fillStyle = variable("--ink");
      for (const { level, lines } of levels) {
        ctx.lineWidth = level === 0 ? 2.2 : 0.9;
        ctx.globalAlpha = level === 0 ? 0.9 : 0.5;
        ctx.beginPath();
        for (const [from, to] of lines) {
          ctx.moveTo(pixelX(from[0]), pixelY(from[1]));
          ctx.lineTo(pixelX(to[0]), pixelY(to[1]));
        }
        ctx.stroke();
      }
      ctx.globalAlpha = 0.6;
      for (const [pointX, pointY] of points) {
        ctx.beginPath();
        ctx.arc(x.getPixelForValue(pointX), y.getPixelForValue(pointY), radius, 0, 2 * Math.PI);
        ctx.fill();
      }
      ctx.restore();
    },
  };
}

function contourChart(values, number) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return;
  const smallest = known.reduce((a, b) => Math.min(a, b)), largest = known.reduce((a, b) => Math.max(a, b));
  const { side, low, high, axes } = contours;
  const step = roundStep(largest - smallest || 1);
  const levels = [];
  for (let k = Math.ceil(smallest / step); k * step <= largest; ++k) {
    levels.push({ level: k * step, lines: contourLines(values, side, k * step) });
  }
  const image = fieldImage(values, side, step, Math.max(-smallest, largest, step));
  const end = (k) => {
    const whole = axis(axes[k], false);
    return { ...whole, min: low[k], max: high[k], ticks: { ...whole.ticks, includeBounds: false } };
  };
  draw(
    `Component ${number + 1}` + (shares ? `, ${percent(shares[number])} of the variance` : ""),
    `From ${short(smallest)} to ${short(largest)}, a line every ${short(step)}.`,
    {
      type: "scatter",
      data: { datasets: [{ data: [] }] },
      options: { scales: { x: end(0), y: end(1) } },
      plugins: [fieldPlugin(image, levels, contours)],
    },
    { place: "contours", legend: false },
  );
}

facts();
if (scatter) scatterChart();
scree();
if (contours) {
  document.getElementById("plane").hidden = false;
  contours.values.forEach(contourChart);
}
// For those who make a picture of the page.
document.documentElement.dataset.height = Math.ceil(document.querySelector("main").getBoundingClientRect().bottom);
