/* The timeline: what each thread did when, from the run as a whole to one call. Each pixel is mixed from the colours of what its time
 * went to, so that nothing vanishes where there are more calls than pixels. */

const COLLECTIVES = /^MPI_I?(Barrier|Bcast|Gather|Scatter|Allgather|Alltoall|Reduce|Allreduce|Scan|Exscan|Neighbor_|Comm_(dup|split|create|idup|free)|Cart_(create|sub)|Graph_create|Dist_graph_create|Intercomm_)/;
const KINDS = ["point_to_point", "collective", "one_sided", "file", "other_calls", "waiting", "computing"], WAITING = 5, COMPUTING = 6;

/* Which kind of time a function takes, by its name. */
function kind_of(func) {
    if (/^MPI_File_/.test(func)) return 3;
    if (/^MPI_(Win_|R?Put|R?Get$|R?Get_accumulate|R?Accumulate|Compare_and_swap|Fetch_and_op)/.test(func)) return 2;
    if (COLLECTIVES.test(func) && !/_local(_c)?$/.test(func)) return 1;
    if (/[Ss]end|[Rr]ecv|[Pp]robe|^MPI_(Wait|Test|Start|Cancel|Request_|P(ready|arrived))/.test(func)) return 0;
    return 4;
}

/* The timeline's data as arrays; times from the begin of the run, in ns. */
function timeline_of(rows) {
    const head = rows.find(row => row.length !== undefined), lists = name => (rows.find(row => row[name]) || { [name]: [] })[name];
    const sites = lists("sites").map(site => ({ ...site, kind: kind_of(site.func) }));
    const threads = rows.filter(row => row.gaps).map(row => {
        const count = row.ns.length, thread = { rank: row.rank, thread: row.thread, number: row.number, first: row.seq, start: new Float64Array(count), end: new Float64Array(count), site: row.sites, wait: new Map(), loops: [] };
        let now = 0;
        for (let i = 0; i < count; i++) {
            thread.start[i] = now + row.gaps[i];
            thread.end[i] = now = thread.start[i] + row.ns[i];
        }
        return thread;
    });
    const waits = lists("waits"), messages = lists("messages"), path = [], arrows = [];
    for (let i = 0, thread = 0, call = 0; i < waits.length; i += 5) { /* what each number counts from: report_timeline.c */
        if (waits[i]) call = 0;
        thread += waits[i];
        call += waits[i + 1];
        threads[thread].wait.set(call, { ns: waits[i + 2], late: thread + waits[i + 3], late_start: threads[thread].start[call] + waits[i + 2] + waits[i + 4] });
    }
    const sent = threads.map(() => 0), received = threads.map(() => 0);
    for (let i = 0, from = 0; i < messages.length; i += 5) {
        const to = (from += messages[i]) + messages[i + 2], send = sent[from] += messages[i + 1], receive = received[to] += messages[i + 3];
        arrows.push({ from, to, start: threads[from].start[send], end: threads[to].end[receive], bytes: messages[i + 4] });
    }
    for (let i = 0, all = lists("path"); i < all.length; i += 3) path.push({ thread: all[i], from: all[i + 1], until: all[i + 2] });
    rows.filter(row => row.at).forEach(row => {
        const loop = { loop: row.loop, at: [], iteration: [] };
        for (let i = 0; i < row.at.length; i += 2) {
            loop.at.push(row.at[i] - threads[row.number].first);
            loop.iteration.push(row.at[i + 1]);
        }
        threads[row.number].loops.push(loop);
    });
    return { head, sites, threads, arrows, path, pieces: rows.filter(row => row.in_mpi) };
}

/* The index of the last value of LIST that is not above V; -1: none. */
function last_by(list, v) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= v) low = middle + 1; else high = middle;
    }
    return low - 1;
}

const iteration_at = (loop, call) => { const i = last_by(loop.at, call); return i < 0 ? 0 : loop.iteration[i]; };
const thread_words = thread => "rank " + thread.rank + (thread.thread ? " thread " + thread.thread : "");

/* Adds the time from FROM to UNTIL to pixels that begin at FIRST and take WIDE ns each. */
function spread(sums, kind, width, from, until, first, wide) {
    const left = Math.max(0, (from - first) / wide), right = Math.min(width, (until - first) / wide);
    if (right <= left) return;
    const low = Math.floor(left), high = Math.min(width - 1, Math.floor(right));
    if (low === high) { sums[kind * width + low] += right - left; return; }
    sums[kind * width + low] += low + 1 - left;
    for (let x = low + 1; x < high; x++) sums[kind * width + x] += 1;
    sums[kind * width + high] += right - high;
}

/* What the threads of a row did: a share of each pixel for each kind. */
function row_shares(data, first, behind, width, from, until, marks) {
    const sums = new Float32Array(KINDS.length * width), wide = (until - from) / width;
    for (let n = first; n < behind; n++) {
        const { start, end, site, wait } = data.threads[n];
        let i = Math.max(0, last_by(start, from) - 1);
        for (; i < start.length && start[i] < until; i++) {
            const waits = marks.waits && wait.get(i), ready = waits ? Math.min(end[i], start[i] + waits.ns) : start[i];
            if (i > 0) spread(sums, COMPUTING, width, end[i - 1], start[i], from, wide);
            if (waits) spread(sums, WAITING, width, start[i], ready, from, wide);
            spread(sums, data.sites[site[i]].kind, width, ready, end[i], from, wide);
        }
        if (i > 0 && i < start.length) spread(sums, COMPUTING, width, end[i - 1], start[i], from, wide);
    }
    return sums;
}

/* Of a part of the run whose calls are not in the page: which part of the time was in MPI. */
function add_pieces(data, sums, first, behind, width, from, until) {
    const pieces = data.pieces.filter(row => row.first < behind && row.first + row.count > first), wide = (until - from) / width, count = data.pieces[0].in_mpi.length;
    for (let x = 0; x < width; x++) {
        const middle = from + (x + 0.5) * wide;
        if (middle >= data.head.from && middle < data.head.until) continue;
        const piece = Math.min(count - 1, Math.floor(middle / data.head.length * count));
        for (const kind of KINDS.keys()) sums[kind * width + x] = 0;
        for (const row of pieces) {
            sums[4 * width + x] += row.in_mpi[piece] / 255;
            sums[COMPUTING * width + x] += 1 - row.in_mpi[piece] / 255;
        }
    }
}

const rgb_of = name => { const text = colour(name).replace("#", ""); return [0, 2, 4].map(i => parseInt(text.slice(i, i + 2), 16)); };

const ROW_MOST = 26, TIMELINE_HIGH = 540, AXIS = 18, ARROWS_MOST = 1500;

let timeline_data = null; /* of the page, if it has a timeline */

function show_timeline(rows, run) {
    if (left_out(rows)) return section("timeline", "Timeline", note("The timeline has " + bytes(rows[0].left_out) + ", too much for a page. pilgrim-report --timeline=FROM-UNTIL takes a part of the run, --timeline=all makes the page as large as that needs."));
    if (!rows.length || !rows.some(row => row.gaps && row.ns.length))
        return section("timeline", "Timeline", note(run.timing === "aggregate" || run.timing === "off" ? "The trace does not have the times of single calls. A run with PILGRIM_TIMING=bins or exact has them; below is what an iteration takes on average." : "There is no timeline: the page was made without it, or the clocks of the ranks were not compared, or the times of single calls are lost, as they are of processes that die."));
    const data = timeline_data = timeline_of(rows), head = data.head, count = data.threads.length, begin = head.begin;
    const first_end = Math.max(...data.threads.map(thread => thread.start.length > 1 && head.from === 0 ? thread.end[0] : 0)); /* MPI_Init, mostly */
    const x = { from: head.from, until: Math.max(head.until, 1), min: 0, max: Math.max(head.length, 1), least: 20 }, y = { from: 0, until: count, min: 0, max: count, least: Math.min(count, 2) };
    if (first_end > head.length / 4 && first_end < head.length) x.from = first_end;
    const marks = { messages: true, waits: true, path: true, loops: true };
    const height = () => Math.min(TIMELINE_HIGH, Math.max(ROW_MOST * Math.min(4, count), Math.floor(Math.min(ROW_MOST, TIMELINE_HIGH / count) * count) || TIMELINE_HIGH)) + AXIS;
    const row_of = (n, high) => (n - y.from) / (y.until - y.from) * (high - AXIS) + AXIS, x_of = (ns, width) => (ns - x.from) / (x.until - x.from) * width;
    const visible = () => [Math.max(0, Math.floor(y.from)), Math.min(count, Math.ceil(y.until))];

    function paint_rows(context, width, high) {
        const [top, bottom] = visible(), lines = high - AXIS, image = context.createImageData(width, high), pixels = new Uint32Array(image.data.buffer);
        const colours = KINDS.map(rgb_of), groups = Math.min(bottom - top, lines);
        for (let k = 0; k < groups; k++) {
            const first = top + Math.floor(k * (bottom - top) / groups), behind = Math.max(first + 1, top + Math.floor((k + 1) * (bottom - top) / groups));
            const sums = row_shares(data, first, behind, width, x.from, x.until, marks);
            if (!head.all && (x.from < head.from || x.until > head.until)) add_pieces(data, sums, first, behind, width, x.from, x.until);
            const above = Math.max(AXIS, Math.round(row_of(first, high))), below = Math.min(high, Math.max(above + 1, Math.round(row_of(behind, high)) - (lines / groups > 5 ? 1 : 0)));
            for (let px = 0; px < width; px++) {
                let r = 0, g = 0, b = 0, all = 0;
                for (let kind = 0; kind < KINDS.length; kind++) {
                    const part = sums[kind * width + px];
                    if (part) { all += part; r += part * colours[kind][0]; g += part * colours[kind][1]; b += part * colours[kind][2]; }
                }
                if (all <= 0) continue;
                const pixel = Math.round(Math.min(1, all) * 255) << 24 | Math.round(b / all) << 16 | Math.round(g / all) << 8 | Math.round(r / all);
                for (let line = above; line < below; line++) pixels[line * width + px] = pixel;
            }
        }
        context.putImageData(image, 0, 0);
    }
    function paint_axis(context, width) {
        const wide = x.until - x.from, step = 10 ** Math.floor(Math.log10(wide / 4)), every = wide / step > 20 ? 5 * step : wide / step > 8 ? 2 * step : step;
        context.fillStyle = colour("faint");
        context.font = "11px system-ui, sans-serif";
        let behind = -1;
        for (let t = Math.ceil((begin + x.from) / every) * every; t <= begin + x.until; t += every) { /* on the common axis, as pilgrim-decode has it */
            const px = Math.round(x_of(t - begin, width)), text = (t / 1e9).toFixed(Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(every) + 1e-9)))) + " s";
            context.fillRect(px, AXIS - 4, 1, 4);
            if (px > behind && px + context.measureText(text).width < width) { context.fillText(text, px + 3, AXIS - 6); behind = px + context.measureText(text).width + 12; }
        }
    }
    /* Iterations as bands: of each thread, those of the outermost loop that shows more than one and not more than can be told apart. */
    function paint_loops(context, width, high) {
        const [top, bottom] = visible();
        for (let n = top; n < bottom; n++) {
            const thread = data.threads[n], below = row_of(n + 1, high) - 1;
            const loop = thread.loops.find(one => one.at.filter((call, i) => one.iteration[i] && thread.start[call] < x.until && thread.end[call] > x.from).length > 1);
            if (!loop) continue;
            loop.at.forEach((call, i) => {
                if (!loop.iteration[i]) return;
                const from = call > 0 ? thread.end[call - 1] : thread.start[call], last = (i + 1 < loop.at.length ? loop.at[i + 1] : thread.start.length) - 1, until = thread.end[last];
                if (until < x.from || from > x.until) return;
                const left = Math.max(0, x_of(from, width)), right = Math.min(width, x_of(until, width));
                context.fillStyle = colour(loop.iteration[i] % 2 ? "ink" : "line");
                context.fillRect(left, below - 3, Math.max(0.5, right - left), 3);
            });
        }
    }
    function paint_names(context, width, high) {
        const [top, bottom] = visible();
        context.font = "11px system-ui, sans-serif";
        const first = ranks_wide(context);
        context.fillStyle = "#000";
        for (let n = top; n < bottom; n++) {
            const { start, end, site, wait } = data.threads[n];
            let drawn = 0;
            for (let i = Math.max(0, last_by(start, x.from)); i < start.length && start[i] < x.until && drawn < 400; i++) {
                const left = Math.max(first, x_of(start[i], width)), right = Math.min(width, x_of(end[i], width));
                if (right - left < 30) continue;
                const text = data.sites[site[i]].func.replace("MPI_", "");
                const waits = wait.get(i), bright = !waits && data.sites[site[i]].kind === 0;
                context.fillStyle = bright ? "#fff" : "#000";
                if (context.measureText(text).width + 6 < right - left) { context.fillText(text, left + 3, row_of(n + 0.5, high) + 3); drawn++; }
            }
        }
    }
    function paint_lines(context, width, high) {
        const seen = data.arrows.filter(one => one.end >= x.from && one.start <= x.until && one.from !== one.to && Math.max(one.from, one.to) + 1 > y.from && Math.min(one.from, one.to) < y.until);
        arrows_seen = seen.length;
        if (marks.messages && seen.length <= ARROWS_MOST) {
            context.strokeStyle = context.fillStyle = colour("ink");
            context.lineWidth = 1;
            context.globalAlpha = seen.length > 300 ? 0.35 : 0.75;
            for (const one of seen) {
                const [x0, y0, x1, y1] = [x_of(one.start, width), row_of(one.from + 0.5, high), x_of(one.end, width), row_of(one.to + 0.5, high)];
                context.beginPath();
                context.moveTo(x0, y0);
                context.lineTo(x1, y1);
                context.stroke();
                const turn = Math.atan2(y1 - y0, x1 - x0);
                context.beginPath();
                context.moveTo(x1, y1);
                context.lineTo(x1 - 7 * Math.cos(turn - 0.35), y1 - 7 * Math.sin(turn - 0.35));
                context.lineTo(x1 - 7 * Math.cos(turn + 0.35), y1 - 7 * Math.sin(turn + 0.35));
                context.fill();
            }
            context.globalAlpha = 1;
        }
        if (!marks.path) return;
        context.strokeStyle = colour("path");
        const parts = data.path.filter(part => part.from <= x.until && part.until >= x.from).length, dense = parts > 200; /* then without what joins threads */
        context.lineWidth = dense ? 1.5 : 2.5;
        context.beginPath();
        let last = null;
        for (const part of data.path) { /* from the end back */
            if (part.from > x.until || part.until < x.from) { last = null; continue; }
            const at = row_of(part.thread + 0.25, high);
            if (last !== null && !dense) { context.moveTo(x_of(part.until, width), last); context.lineTo(x_of(part.until, width), at); }
            context.moveTo(Math.min(width, x_of(part.until, width)), at);
            context.lineTo(Math.max(0, x_of(part.from, width)), at);
            last = at;
        }
        context.stroke();
    }

    const short_name = thread => thread.rank + (thread.thread ? ":" + thread.thread : "");
    const ranks_wide = context => Math.max(...data.threads.slice(...visible()).map(thread => context.measureText(short_name(thread)).width)) + 5;
    function paint_ranks(context, high) {
        const [top, bottom] = visible();
        context.font = "11px system-ui, sans-serif";
        const wide = ranks_wide(context);
        for (let n = top; n < bottom; n++) {
            context.fillStyle = colour("paper");
            context.fillRect(0, row_of(n + 0.5, high) - 6, wide, 12);
            context.fillStyle = colour("ink");
            context.fillText(short_name(data.threads[n]), 2, row_of(n + 0.5, high) + 4);
        }
    }

    let arrows_seen = 0;
    const view = drawing(height, "timeline: threads from top to bottom, time from left to right; the table below lists the longest calls that are seen", (context, width, high) => {
        context.clearRect(0, 0, width, high);
        paint_rows(context, width, high);
        paint_axis(context, width);
        const thick = (high - AXIS) / (y.until - y.from);
        if (thick >= 12 && marks.loops) paint_loops(context, width, high);
        if (thick >= 12) paint_names(context, width, high);
        if (thick >= 3) paint_lines(context, width, high);
        if (thick >= 12) paint_ranks(context, high);
        tell();
    }, (px, py) => {
        const n = Math.floor(y.from + (py - AXIS) / (view.canvas.height - AXIS) * (y.until - y.from)), ns = x.from + px / view.canvas.width * (x.until - x.from);
        return n >= 0 && n < count && py >= AXIS ? call_words_at(n, ns) : "";
    }, event => zoom.press(event));
    const clock = ns => ((begin + ns) / 1e9).toFixed(9).replace(/0{1,6}$/, "") + " s";
    function call_words_at(n, ns) {
        const thread = data.threads[n], i = last_by(thread.start, ns), in_call = i >= 0 && ns <= thread.end[i];
        if (ns < head.from || ns > head.until) return thread_words(thread) + ": calls of this part of the run are not in the page (--timeline=all, or --timeline=FROM-UNTIL)";
        if (i < 0 || (!in_call && i + 1 >= thread.start.length)) return thread_words(thread) + ": no call";
        const at = in_call ? i : i + 1, site = data.sites[thread.site[at]], waits = thread.wait.get(at);
        const loops = thread.loops.filter(one => iteration_at(one, at)).map(one => "loop " + one.loop + ", iteration " + number(iteration_at(one, at)));
        return thread_words(thread) + ": " + (in_call ? "" : "computing for " + time(thread.start[at] - thread.end[i]) + " before ") + site.func + " at " + site.at + " (call " + (thread.first + at) + "), " + time(thread.end[at] - thread.start[at]) +
            (waits ? ", of it " + time(waits.ns) + " waiting for " + thread_words(data.threads[waits.late]) : "") + ", begins at " + clock(thread.start[at]) + (loops.length ? "; " + loops.join("; ") : "");
    }
    /* What is seen, in words, and the longest calls of it. */
    const seen = el("p", { class: "faint" }), link = el("a", {}, "link to this view"), list = el("div");
    let late = 0;
    function tell() {
        seen.replaceChildren("From " + clock(x.from) + ", " + time(x.until - x.from) + " of " + time(head.length) + (y.until - y.from < count ? ", " + number(Math.ceil(y.until) - Math.floor(y.from)) + " of " + plural(count, "thread") : "") +
            (marks.messages && arrows_seen > ARROWS_MOST ? "; " + plural(arrows_seen, "message") + ", drawn as arrows when there are at most " + ARROWS_MOST : "") + ". ", link);
        link.href = "#time-" + Math.round(x.from) + "-" + Math.round(x.until) + (y.until - y.from < count ? "-" + Math.floor(y.from) + "-" + Math.ceil(y.until) : "");
        clearTimeout(late);
        late = setTimeout(longest, 100);
    }
    function longest() {
        const [top, bottom] = visible(), calls = [];
        let least = 0;
        for (let n = top; n < bottom; n++) {
            const { start, end } = data.threads[n];
            for (let i = Math.max(0, last_by(start, x.from)); i < start.length && start[i] < x.until; i++) {
                if (end[i] < x.from || end[i] - start[i] <= least) continue;
                calls.push({ n, i, ns: end[i] - start[i] });
                if (calls.length > 400) { calls.sort((a, b) => b.ns - a.ns); calls.length = 100; least = calls[99].ns; }
            }
        }
        calls.sort((a, b) => b.ns - a.ns);
        const thread = call => data.threads[call.n], site = call => data.sites[thread(call).site[call.i]];
        list.replaceChildren(table([{ title: "rank", value: call => thread(call).rank, text: call => el("a", { href: "#time-" + Math.round(thread(call).start[call.i] - call.ns / 4) + "-" + Math.round(thread(call).end[call.i] + call.ns / 4) + "-" + Math.max(0, call.n - 3) + "-" + Math.min(count, call.n + 4) }, thread_words(thread(call))) },
            { title: "longest calls seen", words: true, code: true, value: call => site(call).func, text: call => site_link(site(call).func, site(call).site) },
            { title: "begins", value: call => thread(call).start[call.i], text: call => clock(thread(call).start[call.i]) }, { title: "takes", value: call => call.ns, text: call => time(call.ns), exact: call => number(call.ns) + " ns" },
            { title: "of it waiting", value: call => (thread(call).wait.get(call.i) || { ns: 0 }).ns, text: call => thread(call).wait.has(call.i) ? time(thread(call).wait.get(call.i).ns) : "\u2013" }], calls.slice(0, 100), 3, undefined, 8));
    }
    const zoom = zooming(() => view, [x, y], () => view.paint());
    const box = (name, words, there) => there ? el("label", {}, el("input", { type: "checkbox", checked: "", onchange: event => { marks[name] = event.target.checked; view.paint(); } }), " " + words) : null;
    reveals.push(id => {
        const found = /^time-(\d+)-(\d+)(?:-(\d+)-(\d+))?$/.exec(id);
        if (!found) return;
        zoom.show([Number(found[1]), Number(found[2])], found[3] ? [Number(found[3]), Number(found[4])] : [0, count]);
        view.canvas.scrollIntoView({ block: "center" });
    });
    const kinds = new Set(data.sites.map(site => KINDS[site.kind])), waits = data.threads.some(thread => thread.wait.size);
    const names = [["computing", "computing"], ...Object.entries(ACTIVITIES).filter(([name]) => kinds.has(name)), ...(waits ? [["waiting", "waiting for another rank"]] : [])];
    section("timeline", "Timeline", el("p", {}, "Each row is " + (count > TIMELINE_HIGH ? "a group of threads" : "a thread, with its rank" + (data.threads.some(thread => thread.thread) ? " (or rank:thread)" : "") + " at the left") + "; where there are more calls than pixels, colours are mixed." + (head.all ? "" : " The page has the calls from " + clock(head.from) + " to " + clock(head.until) + " (" + share((head.until - head.from) / head.length) +
        " of the run); of the rest it has how much of the time was in MPI (grey)."), head.waits_known ? "" : " The trace has too many waits to mark them."), el("ul", { class: "legend" }, names.map(([name, words]) => el("li", {}, el("i", { style: { background: "var(--" + name + ")" } }), words)),
        data.path.length ? el("li", {}, el("i", { style: { background: "var(--path)", height: ".25em" } }), "critical path") : null, data.threads.some(thread => thread.loops.length) ? el("li", {}, el("i", { style: { background: "var(--ink)", height: ".25em" } }), "iterations of a loop, in turn dark and light") : null),
    el("div", { class: "choose" }, box("messages", "messages", data.arrows.length), box("waits", "waits", waits), box("path", "critical path", data.path.length), box("loops", "iterations", data.threads.some(thread => thread.loops.length))),
    zoom.buttons, seen, view.element, list);
    zoom.listen();
}
