"use strict";
/* Shows what the elements data-* hold: JSON, one object a line, as pilgrim-decode prints it. Texts of a trace become text
 * nodes, never markup. Times are in ns. */

const ACTIVITIES = { computing: "computing", point_to_point: "point to point", collective: "collective", one_sided: "one-sided",
                     file: "file", other_calls: "other calls" };
const ROWS_SHOWN = 50, FEW_ROWS = 15;

/* ---- data ---- */

function text_of(name) {
    const element = document.getElementById("data-" + name);
    return element ? element.textContent.replace(/^\n/, "") : "";
}

/* The objects of a view. Bytes of a view that was left out are in `left_out` of the first one. */
function rows_of(name) {
    return text_of(name).split("\n").filter(line => line).map(line => JSON.parse(line));
}

const left_out = rows => rows.length > 0 && rows[0].left_out;

/* ---- words ---- */

function number(v) { return v.toLocaleString("en-US", { maximumFractionDigits: 2 }); }
function share(v) { return (100 * v).toFixed(1) + " %"; }

function scaled(v, units, base) {
    let i = 0;
    while (i + 1 < units.length && v >= base) { v /= base; i++; }
    return (v >= 100 || i === 0 ? Math.round(v) : v.toPrecision(3)) + " " + units[i];
}
function time(ns) { return ns < 60e9 ? scaled(ns, ["ns", "\u00b5s", "ms", "s"], 1000) : (ns / 1e9).toFixed(ns < 600e9 ? 1 : 0) + " s"; }
function bytes(v) { return scaled(v, ["B", "kB", "MB", "GB", "TB", "PB"], 1000); }
function plural(n, word) { return number(n) + " " + word + (n === 1 ? "" : "s"); }
function place_of(row) {
    return (row.file ? row.file + ":" + row.line : row.site || "?") + (row.function ? " in " + row.function : "");
}

/* ---- elements ---- */

function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "style") Object.assign(element.style, value);
        else element.setAttribute(name, value);
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined) element.append(child);
    return element;
}

function section(id, title, ...children) {
    document.getElementById("nav").append(el("a", { href: "#" + id }, title));
    document.getElementById("main").append(el("section", { id }, el("h2", {}, title), ...children));
}

const note = text => el("p", { class: "faint" }, text);
const not_shown = rows => note("This part has " + bytes(rows[0].left_out) + ", too much for a page. pilgrim-decode prints it.");

function facts(pairs) {
    return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== "")
        .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/* A table whose columns sort it. COLUMNS: {title, value: row -> what it is sorted by, text: row -> what is shown, words: it is no number,
 * exact: row -> what the pointer tells}. NAME: row -> its anchor, or nothing. SHOWN: so many rows at first. */
function table(columns, rows, sorted_by, name, shown = ROWS_SHOWN) {
    let by = sorted_by, down = true, all = false;
    const body = el("tbody"), head = el("tr"), holder = el("div", { class: "wide" }, el("table", {}, el("thead", {}, head), body));
    const more = el("button", { class: "more", onclick: () => { all = true; show(); } });
    function order(a, b) {
        const x = columns[by].value(a), y = columns[by].value(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    }
    function cell(column, row) {
        return el("td", { class: column.words ? "code" : "number", ...(column.exact ? { title: column.exact(row) } : {}) }, (column.text || column.value)(row));
    }
    function show() {
        const sorted = [...rows].sort(order).slice(0, all ? rows.length : shown);
        head.replaceChildren(...columns.map((column, i) => el("th", { class: column.words ? "" : "number", "aria-sort": i !== by ? "none" : down ? "descending" : "ascending" },
            el("button", { onclick: () => { down = i === by ? !down : !column.words; by = i; show(); } },
                column.title + (i === by ? (down ? " \u25be" : " \u25b4") : "")))));
        body.replaceChildren(...sorted.map(row => el("tr", name ? { id: name(row) } : {}, columns.map(column => cell(column, row)))));
        more.hidden = sorted.length === rows.length;
        more.textContent = "show all " + number(rows.length);
    }
    show();
    if (name)
        reveals.push(id => { if (!all && rows.some(row => name(row) === id)) { all = true; show(); } });
    return el("div", {}, holder, more);
}

/* Functions that show all rows of a table, if one of them has the anchor. */
const reveals = [];

/* Shows what the address names: opens what is around it, and lists rows that were left out. */
function go_to_anchor() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    if (!document.getElementById(id)) reveals.forEach(reveal => reveal(id));
    const target = document.getElementById(id);
    for (let node = target; node; node = node.parentElement)
        if (node.tagName === "DETAILS") node.open = true;
    if (target) target.scrollIntoView();
}

function legend() {
    return el("ul", { class: "legend" }, Object.entries(ACTIVITIES).map(([name, words]) =>
        el("li", {}, el("i", { style: { background: "var(--" + name + ")" } }), words)));
}

/* ---- sections ---- */

function show_summary(s, endings) {
    document.getElementById("title").textContent = s.program || "A run without a name";
    document.title = (s.program || "run") + " - Pilgrim report";
    document.getElementById("about").textContent = (s.arguments || []).join(" ");
    const partial = endings.length ? el("p", { class: "partial" }, "This trace is partial: ", endings.map(ending_words).join("; ") + ".") : null;
    const parts = Object.entries(ACTIVITIES).map(([name, words]) => ({ name, words, ...(s.activities || {})[name] })).filter(part => part.mean > 0);
    section("summary", "Summary", partial, facts([
        ["ran on", plural(s.ranks, "rank") + " on " + plural((s.hosts || []).length || 1, "host") + ((s.hosts || []).length ? " (" + s.hosts.slice(0, 4).join(", ") + (s.hosts.length > 4 ? ", ..." : "") + ")" : "") + ", " + plural(s.threads, "thread")],
        ["MPI", s.library], ["recorded", s.written + " by " + s.tracer + ", PILGRIM_TIMING=" + s.timing],
        ["wall time", s.wall ? time(s.wall) + " from MPI_Init to MPI_Finalize, " + time(s.init) + " of it in MPI_Init" : "not recorded"],
        ["MPI calls", number(s.calls)],
        ["messages", s.messages ? number(s.messages) + " with " + bytes(s.bytes) + ", of " + bytes(s.least_bytes) + " to " + bytes(s.most_bytes) : "none"],
        ["other volume", [["collective", s.collective_bytes], ["one-sided", s.rma_bytes], ["file", s.io_bytes]].filter(p => p[1]).map(p => p[0] + " " + bytes(p[1])).join(", ")],
    ]), parts.length ? [el("div", { class: "bar", role: "img", "aria-label": parts.map(p => p.words + " " + share(p.share)).join(", ") },
        parts.map(p => el("span", { style: { width: 100 * p.share + "%", background: "var(--" + p.name + ")" }, title: p.words + " " + share(p.share) }))),
        legend(),
        table([
            { title: "time of a rank", words: true, value: p => p.words }, { title: "share", value: p => p.share, text: p => share(p.share) },
            { title: "mean", value: p => p.mean, text: p => time(p.mean) },
            { title: "least (rank)", value: p => p.min, text: p => time(p.min) + " (" + p.min_rank + ")" },
            { title: "most (rank)", value: p => p.max, text: p => time(p.max) + " (" + p.max_rank + ")" },
            { title: "imbalance", value: p => p.imbalance, text: p => share(p.imbalance) }], parts, 1)]
        : note("This trace has no times (PILGRIM_TIMING=off)."),
    s.odd && s.odd.length ? [el("h3", {}, "What is odd"), el("ul", {}, s.odd.map(odd => el("li", {}, odd.what, odd.options ? [" \u2013 ", el("code", {}, "pilgrim-decode " + odd.options + " TRACE")] : [])))] : note("Nothing odd was found."));
}

function ending_words(e) {
    return [e.ending || e.what || "", e.ranks !== undefined ? "ranks " + (Array.isArray(e.ranks) ? e.ranks.join("-") : e.ranks) : ""].filter(word => word).join(", ");
}

/* Sums of a node and what is in it, over all threads: time in MPI, and before its calls. */
function add_up(node) {
    node.mpi = node.func && node.func !== "MPI_Finalize" ? node.time : 0; /* it is recorded before it runs */
    node.own = node.func || node.phase ? node.gap || 0 : 0;
    for (const child of node.in || []) {
        add_up(child);
        node.mpi += child.mpi;
        node.own += child.own;
    }
}

function trips(node) {
    const mean = node.total / node.times;
    return node.min === node.max ? number(node.min) + "\u00d7" : number(node.min) + "\u2026" + number(node.max) + "\u00d7, mean " + number(mean);
}

function node_words(node) {
    const words = [];
    if (node.loop)
        words.push(el("b", {}, "loop " + node.number), " " + trips(node));
    else if (node.phase)
        words.push("phase ", el("b", {}, node.texts.join(", ") + (node.more_texts ? ", \u2026" : "")));
    else if (node.function)
        words.push(el("b", {}, node.function));
    else
        words.push(el("span", { class: "code" }, node.func), node.times && (node.min !== 1 || node.max !== 1) ? " " + trips(node) : "");
    if (node.at)
        words.push(el("span", { class: "faint" }, " at " + node.at + (node.places > 1 ? " (" + node.places + " places)" : "")));
    if (node.on)
        words.push(el("span", { class: "faint" }, " " + (typeof node.on === "string" ? node.on : JSON.stringify(node.on))));
    if (node.times < node.around)
        words.push(el("span", { class: "faint" }, " in " + share(node.times / node.around) + " of the rounds"));
    return words;
}

function tree_node(node, whole, threads, depth) {
    const width = part => (whole > 0 ? 100 * part / whole : 0) + "%";
    const spent = [node.mpi, node.own].map(part => part > 0 ? time(part / threads) : "\u2013");
    const row = el("span", { class: "row" }, el("span", { class: "what" }, node_words(node)),
        el("span", { class: "gauge", title: spent[0] + " in MPI, " + spent[1] + " before" }, el("span", { class: "mpi", style: { width: width(node.mpi) } }), el("span", { class: "own", style: { width: width(node.own) } })),
        spent.map(part => el("span", { class: "spent" }, part)));
    const id = node.loop ? { id: "loop-" + node.number } : {};
    if (!node.in)
        return el("div", { class: "leaf" }, row);
    const details = el("details", { class: "node", ...id }, el("summary", {}, row), node.in.map(child => tree_node(child, whole, threads, depth + 1)));
    details.open = depth < 3 || node.mpi + node.own > whole / 20;
    return details;
}

function show_program(programs) {
    const trees = left_out(programs) ? [not_shown(programs)] : programs.map((p, i) => {
        p.program.forEach(add_up);
        const whole = p.program.reduce((sum, node) => sum + node.mpi + node.own, 0);
        const title = p.threads + ": " + (p.calls_min === p.calls_max ? number(p.calls_min) : number(p.calls_min) + " to " + number(p.calls_max)) + " calls each";
        const tree = el("details", { class: "program" }, el("summary", {}, title), el("div", { class: "leaf" }, el("span", { class: "row faint" }, el("span", { class: "what" }), el("span", { class: "gauge none" }),
            el("span", { class: "spent" }, "in MPI"), el("span", { class: "spent" }, "before"))), el("div", { class: "tree" }, p.program.map(node => tree_node(node, whole, p.count, 0))));
        tree.open = i < 4;
        return tree;
    });
    section("program", "The program as loops", el("p", {}, "What the ranks do, by the functions and loops that their calls show. Times are those of a rank: in MPI (",
        el("span", { style: { color: "var(--point_to_point)" } }, "blue"), ") and computing before calls (", el("span", { style: { color: "var(--computing)" } }, "green"), "). Ranks that do the same are one program."), trees);
}

/* A canvas as wide as the page allows, drawn by DRAW(context, width, height), and again when the width changes. */
function drawing(height, label, draw, say) {
    const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": label });
    const tip = el("p", { class: "tip faint", "aria-live": "polite" }, "\u00a0");
    function paint() {
        const width = Math.max(200, Math.min(1080, canvas.parentElement ? canvas.parentElement.clientWidth : 1080));
        canvas.width = width;
        canvas.height = typeof height === "function" ? height(width) : height;
        draw(canvas.getContext("2d"), canvas.width, canvas.height);
    }
    canvas.addEventListener("pointermove", event => {
        const box = canvas.getBoundingClientRect();
        tip.textContent = say((event.clientX - box.left) * canvas.width / box.width, (event.clientY - box.top) * canvas.height / box.height) || "\u00a0";
    });
    requestAnimationFrame(paint);
    window.addEventListener("resize", paint);
    return { canvas, element: el("div", {}, canvas, tip), paint };
}

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function show_ranks(rows) {
    rows = left_out(rows) ? rows : rows.filter(row => row.rank !== undefined && row.computing !== undefined);
    if (!rows.length || left_out(rows)) {
        section("ranks", "Ranks", rows.length ? not_shown(rows) : note("This trace has no times of ranks."));
        return;
    }
    const names = Object.keys(ACTIVITIES), total = row => names.reduce((sum, name) => sum + row[name], 0);
    const most = Math.max(...rows.map(total));
    let order = rows;
    const at = (x, width) => Math.min(order.length - 1, Math.floor(x * order.length / width));
    const view = drawing(220, "time of each rank by kind; the table below has the figures", (context, width, height) => {
        const colours = names.map(colour);
        context.clearRect(0, 0, width, height);
        const columns = Math.min(width, order.length);
        for (let i = 0; i < columns; i++) { /* of several ranks in a column, that with the largest sum is drawn */
            const first = Math.floor(i * order.length / columns), behind = Math.max(first + 1, Math.floor((i + 1) * order.length / columns));
            let row = order[first], left = Math.floor(i * width / columns), right = Math.floor((i + 1) * width / columns), y = height;
            for (let k = first + 1; k < behind; k++) if (total(order[k]) > total(row)) row = order[k];
            names.forEach((name, k) => {
                const part = row[name] / most * (height - 4);
                context.fillStyle = colours[k];
                context.fillRect(left, y - part, Math.max(1, right - left - (right - left > 6 ? 1 : 0)), part);
                y -= part;
            });
        }
    }, (x, y) => {
        const row = order[at(x, view.canvas.width)];
        return "rank " + row.rank + ": " + names.filter(name => row[name] > 0).map(name => ACTIVITIES[name] + " " + time(row[name])).join(", ");
    });
    const choice = el("select", { onchange: () => {
        order = choice.value === "rank" ? rows : [...rows].sort((a, b) => b[choice.value] - a[choice.value]);
        view.paint();
    } }, el("option", { value: "rank" }, "rank"), names.map(name => el("option", { value: name }, ACTIVITIES[name])));
    section("ranks", "Ranks", el("label", { class: "choose" }, "One column a rank, in the order of ", choice), view.element, legend(),
        table([{ title: "rank", value: row => row.rank }, ...names.map(name => ({ title: ACTIVITIES[name], value: row => row[name], text: row => row[name] ? time(row[name]) : "\u2013" }))], rows, 1));
}

/* Pairs of ranks from CSV: from,to,messages,bytes. */
function pairs_of(text) {
    return text.split("\n").slice(1).filter(line => line).map(line => {
        const [from, to, messages, size] = line.split(",").map(Number);
        return { from, to, messages, bytes: size };
    });
}

const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; /* viridis (van der Walt and Smith, CC0) */
function ramp(v) {
    const at = Math.min(0.9999, Math.max(0, v)) * (RAMP.length - 1), i = Math.floor(at), f = at - i;
    return RAMP[i].map((c, k) => Math.round(c + (RAMP[i + 1][k] - c) * f));
}

function show_matrix(text, ranks) {
    if (text.startsWith("{")) {
        section("messages", "Messages from rank to rank", not_shown(rows_of("matrix")));
        return;
    }
    const pairs = pairs_of(text);
    if (!pairs.length) {
        section("messages", "Messages from rank to rank", note("No messages were sent."));
        return;
    }
    let what = "bytes", cells = null, side = 0;
    /* Sums of pairs by cells of the picture: so many ranks share a cell that they fit. */
    function bin(most) {
        side = Math.min(ranks, most);
        cells = new Map();
        for (const pair of pairs) {
            const key = Math.floor(pair.from * side / ranks) * side + Math.floor(pair.to * side / ranks);
            cells.set(key, (cells.get(key) || 0) + pair[what]);
        }
    }
    const range = i => {
        const first = Math.ceil(i * ranks / side), last = Math.ceil((i + 1) * ranks / side) - 1;
        return first === last ? String(first) : first + "-" + last;
    };
    const view = drawing(width => Math.min(width, 560), "messages by sender (down) and receiver (across); the table below has the figures", (context, width, height) => {
        view.canvas.width = width = height;
        bin(height);
        const most = Math.log1p(Math.max(...cells.values(), 1)), image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
        for (const [key, value] of cells) {
            const from = Math.floor(key / side), to = key % side, [r, g, b] = ramp(Math.log1p(value) / most), pixel = 0xff000000 | b << 16 | g << 8 | r;
            const left = Math.floor(to * width / side), right = Math.max(left + 1, Math.floor((to + 1) * width / side));
            const top = Math.floor(from * height / side), bottom = Math.max(top + 1, Math.floor((from + 1) * height / side));
            for (let y = top; y < bottom; y++) pixels.fill(pixel, y * width + left, y * width + right);
        }
        context.putImageData(image, 0, 0);
    }, (x, y) => {
        const from = Math.floor(y * side / view.canvas.height), to = Math.floor(x * side / view.canvas.width);
        if (from < 0 || to < 0 || from >= side || to >= side) return "";
        const value = cells.get(from * side + to) || 0;
        return "from rank " + range(from) + " to rank " + range(to) + ": " + (what === "bytes" ? bytes(value) : plural(value, "message"));
    });
    const choice = el("select", { onchange: () => { what = choice.value; view.paint(); } }, el("option", { value: "bytes" }, "bytes"), el("option", { value: "messages" }, "messages"));
    section("messages", "Messages from rank to rank", el("label", { class: "choose" }, "Senders from top to bottom, receivers from left to right; brighter is more ", choice, "(logarithmic)"), view.element,
        table([{ title: "from", value: p => p.from }, { title: "to", value: p => p.to }, { title: "messages", value: p => p.messages, text: p => number(p.messages) },
            { title: "bytes", value: p => p.bytes, text: p => number(p.bytes) }], pairs, 3));
}

function show_sites(rows) {
    const sites = left_out(rows) ? rows : site_rows;
    section("sites", "Call sites", left_out(rows) ? not_shown(rows) : table([
        { title: "function", words: true, value: row => row.func }, { title: "called at", words: true, value: place_of },
        { title: "calls", value: row => row.calls.total, text: row => number(row.calls.total) },
        { title: "ranks", value: row => row.ranks, text: row => number(row.ranks) },
        { title: "time, all ranks", value: row => row.time ? row.time.total : 0, text: row => row.time ? time(row.time.total) : "\u2013" },
        { title: "share", value: row => row.share || 0, text: row => row.share === undefined ? "\u2013" : share(row.share) },
        { title: "most on a rank", value: row => row.time ? row.time.max : 0, text: row => row.time ? time(row.time.max) + (row.time.max_rank !== undefined ? " (" + row.time.max_rank + ")" : "") : "\u2013" },
        { title: "imbalance", value: row => row.time ? row.time.imbalance : 0, text: row => row.time ? share(row.time.imbalance) : "\u2013" },
        { title: "bytes", value: row => row.bytes.total, text: row => row.bytes.total ? bytes(row.bytes.total) : "\u2013" },
        { title: "failed", value: row => row.failed, text: row => row.failed ? number(row.failed) : "\u2013" }], sites, 4, row => "site-" + site_numbers.get(site_key(row.func, row.site))));
}

function show_sizes(rows) {
    const sizes = left_out(rows) ? rows : rows.filter(row => row.func && row.size_min !== undefined && row.calls.total > 0);
    section("sizes", "Sizes of what calls move", left_out(rows) ? not_shown(rows) : !sizes.length ? note("No call moved anything.") : table([
        { title: "function", words: true, value: row => row.func },
        { title: "bytes each", value: row => row.size_min, text: row => row.size_max > row.size_min ? number(row.size_min) + " to " + number(row.size_max) : number(row.size_min) },
        { title: "calls", value: row => row.calls.total, text: row => number(row.calls.total) },
        { title: "bytes", value: row => row.bytes.total, text: row => bytes(row.bytes.total) },
        { title: "time, all ranks", value: row => row.time ? row.time.total : 0, text: row => row.time ? time(row.time.total) : "\u2013" }], sizes, 3));
}

function machine_tree(node) {
    const names = node.names === undefined ? "" : " " + (Array.isArray(node.names) ? node.names.join(", ") : node.names);
    const words = (node.copies > 1 ? node.copies + " \u00d7 " : "") + (node.class === "unknown" ? "host that was not recorded" : node.class + names) + (node.rank !== undefined ? ", from rank " + node.rank : "");
    if (!node.children)
        return el("div", { class: "leaf" }, words);
    return el("details", { class: "node", open: "" }, el("summary", {}, words), node.children.map(machine_tree));
}

function show_machine(properties, machine) {
    section("machine", "Machine and settings", facts(properties.map(row => [row.property, String(row.value)])),
        left_out(machine) ? not_shown(machine) : el("div", { class: "tree" }, machine.map(machine_tree)));
}

function show_all() {
    const summary = rows_of("summary")[0] || {};
    show_summary(summary, rows_of("endings"));
    const sites = rows_of("sites");
    know_sites(sites);
    show_waits(rows_of("waits"), summary);
    const programs = rows_of("loops");
    show_program(programs);
    show_typical(programs);
    show_ranks(rows_of("ranks"));
    show_matrix(text_of("matrix"), summary.ranks || 1);
    show_sites(sites);
    show_sizes(rows_of("sizes"));
    show_machine(rows_of("properties"), rows_of("machine"));
    document.getElementById("footer").textContent = "Made from the trace by pilgrim-report. pilgrim-decode prints each figure, and each call.";
    window.addEventListener("hashchange", go_to_anchor);
    go_to_anchor();
}
