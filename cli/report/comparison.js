const { comparison, pictures: drawn } = pageData;
const data = { ...comparison, pictures: drawn };
data.baseline_number = data.contenders.findIndex((one) => one.label === data.baseline);

// A line for every method, through its values.
function curves(contenders, xOf, yOf, title, caption, xTitle, yAxis) {
  const methods = [...new Set(data.contenders.map((one) => one.method))];
  const datasets = methods.map((method, number) => ({
    label: method,
    showLine: true,
    borderColor: COLORS[number % COLORS.length],
    backgroundColor: COLORS[number % COLORS.length],
    pointStyle: SHAPES[number % SHAPES.length],
    pointRadius: 5,
    borderWidth: 1.5,
    data: contenders
      .filter((one) => one.method === method && one.splits > 0 && xOf(one) > 0 && yOf(one) !== undefined)
      .map((one) => ({
        x: xOf(one),
        y: yOf(one),
        name: `${one.label}: ${short(xOf(one))}, ${short(yOf(one))}`,
      })),
  }));
  draw(title, caption, {
    type: "scatter",
    data: { datasets: datasets.filter((set) => set.data.length > 0) },
    options: { scales: { x: axis(xTitle, true), y: yAxis } },
  });
}

function pictureSets(number) {
  const points = data.pictures.points[number];
  const classes = data.pictures.classes;
  const names = classes.length > 0 ? classes : ["rows"];
  return names.map((name, label) => ({
    label: name,
    ...classLook(label),
    data: points
      .map(([x, y], i) => ({ x, y, name, label: classes.length > 0 ? data.pictures.labels[i] : 0 }))
      .filter((point) => point.label === label),
  }));
}

function pictures() {
  const shown = data.pictures.points.map((points, i) => (points.length > 0 ? i : -1)).filter((i) => i >= 0);
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Method");
  for (const i of shown) element("option", data.contenders[i].label, choice).value = i;
  const ends = (k) => {
    const values = data.pictures.points[data.baseline_number].map((point) => point[k]);
    const low = Math.min(...values), high = Math.max(...values), room = (high - low) * 0.1 || 1;
    return { min: low - room, max: high + room };
  };
  const chart = draw(
    "What the methods see",
    `The first two components of ${data.pictures.shown} rows that were not fitted on` +
      (data.pictures.shown < data.pictures.of ? `, a random sample of ${data.pictures.of}` : "") +
      `, brought near those of ${data.baseline}.`,
    {
      type: "scatter",
      data: { datasets: pictureSets(data.baseline_number) },
      options: {
        scales: {
          x: { ...axis("component 1", false), ...ends(0) },
          y: { ...axis("component 2", false), ...ends(1) },
        },
      },
    },
    { tools: choice },
  );
  choice.value = data.baseline_number;
  choice.addEventListener("change", () => {
    chart.data.datasets = pictureSets(Number(choice.value));
    chart.update();
  });
}

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${short(value)} ${units[unit]}`;
}

function table() {
  const percent = (value) => `${(100 * value).toFixed(2)} %`;
  const times = (value) => `${short(value)}x`;
  const columns = [
    ["fit, s", "fit_seconds", short],
    ["speed-up", "fit_speedup", times],
    ["transform, s", "transform_seconds", short],
    ["speed-up", "transform_speedup", times],
    ["library", "library_size", short],
    ["kept", "retained", percent],
    ["embedding error", "embedding_error", short],
    ["eigenvalue error", "eigenvalue_error", short],
    ["trace left", "residual_trace_fraction", short],
    [`${data.neighbors}-nn accuracy`, "accuracy", percent],
    ["memory", "memory_bytes", bytes],
  ].filter(([, key]) => data.contenders.some((one) => one[key] !== undefined));
  const made = element("table", undefined, document.getElementById("table"));
  const head = element("tr", undefined, element("thead", undefined, made));
  for (const [title] of [["method"], ...columns]) element("th", title, head).scope = "col";
  const body = element("tbody", undefined, made);
  for (const one of data.contenders) {
    const row = element("tr", undefined, body);
    element("td", one.label + (one.label === data.baseline ? " (baseline)" : ""), row);
    if (one.splits === 0) {
      const cell = element("td", `failed: ${one.failure}`, row);
      cell.colSpan = columns.length;
      continue;
    }
    for (const [, key, format] of columns) {
      const cell = element("td", one[key] === undefined ? "–" : format(one[key].mean), row);
      if (one[key] !== undefined && data.splits > 1) {
        element("span", `± ${format(one[key].deviation)}`, cell).className = "deviation";
      }
    }
  }
}

function facts() {
  const splits = `${data.splits} ${data.splits === 1 ? "split" : "splits"}`;
  document.getElementById("facts").textContent =
    `${data.n} rows, ${data.d} columns; ${kernelText(data.kernel)}; ${splits}; ` +
    `baseline ${data.baseline}`;
}

facts();
const others = data.contenders.filter((one, number) => number !== data.baseline_number);
// Below this an error is rounding, and would only stretch the scale.
const error = (one) => one.embedding_error && Math.max(one.embedding_error.mean, 1e-12);
if (others.length > 0) {
  curves(others, (one) => one.fit_seconds?.mean, error, "Error against time to fit",
    `Down and to the left is better. ${data.baseline} takes ` +
      `${short(data.contenders[data.baseline_number].fit_seconds.mean)} s.`,
    "seconds to fit", axis("embedding error", true));
  curves(others, (one) => one.transform_seconds?.mean, error, "Error against time to transform",
    `All rows that were not fitted on; ${data.baseline} takes ` +
      `${short(data.contenders[data.baseline_number].transform_seconds.mean)} s.`,
    "seconds to transform", axis("embedding error", true));
}
if (data.labelled) {
  curves(data.contenders, (one) => one.transform_seconds?.mean, (one) => one.accuracy && 100 * one.accuracy.mean,
    "Accuracy against time to transform",
    `Rows that were not fitted on, classified by ${data.neighbors} nearest neighbours among the scores.`,
    "seconds to transform", axis("accuracy, %", false, 100));
}
pictures();
table();
