/* Messages from rank to rank. */

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

/* What colours mean, from LOW to HIGH. */
function colour_scale(low, high, colours) {
    return [low + " ", el("i", { style: { background: "linear-gradient(90deg, " + colours.map(c => "rgb(" + c + ")").join(", ") + ")" } }), " " + high];
}

/* The pairs of one call site or communicator, added up. */
function pairs_where(rows, fits) {
    const sums = new Map();
    for (const row of rows.filter(fits))
        for (let i = 0; i < row.pairs.length; i += 4) {
            const key = row.pairs[i] + "," + row.pairs[i + 1], sum = sums.get(key) || { from: row.pairs[i], to: row.pairs[i + 1], messages: 0, bytes: 0 };
            sum.messages += row.pairs[i + 2];
            sum.bytes += row.pairs[i + 3];
            sums.set(key, sum);
        }
    return [...sums.values()];
}

function show_matrix(text, by_place, ranks) {
    if (text.startsWith("{")) {
        section("messages", "Messages from rank to rank", not_shown(rows_of("matrix")));
        return;
    }
    const all = pairs_of(text), block = Math.ceil(ranks / 1024), cells = Math.ceil(ranks / block);
    if (!all.length) {
        section("messages", "Messages from rank to rank", note("No messages were sent."));
        return;
    }
    by_place = by_place.filter(row => row.pairs);
    let what = "bytes", pairs = all, bins = null;
    const name = i => i < 0 ? "not known" : range_words(i * block, Math.min(block, ranks - i * block));
    const x = { from: 0, until: cells, min: 0, max: cells, least: Math.min(4, cells) }, y = { from: 0, until: cells, min: 0, max: cells, least: Math.min(4, cells) };
    /* Which cell of the matrix a pixel shows, and the pixels of a cell: as many pixels as cells that are seen, or more. */
    const seen = axis => [Math.floor(axis.from), Math.max(Math.floor(axis.from) + 1, Math.ceil(axis.until))];
    /* Sums of pairs by pixels of the picture: so many cells share one that they fit. */
    function bin(size) {
        const [left, right] = seen(x), [top, bottom] = seen(y), across = Math.min(size, right - left), down = Math.min(size, bottom - top);
        const sums = new Float64Array(across * down);
        for (const pair of pairs)
            if (pair.from >= top && pair.from < bottom && pair.to >= left && pair.to < right)
                sums[Math.floor((pair.from - top) * down / (bottom - top)) * across + Math.floor((pair.to - left) * across / (right - left))] += pair[what];
        return { left, right, top, bottom, across, down, sums };
    }
    const part = (at, count, first, behind) => {
        const from = Math.ceil(first + at * (behind - first) / count), until = Math.ceil(first + (at + 1) * (behind - first) / count) - 1;
        return from === until ? name(from) : range_words(from * block, Math.min(ranks, (until + 1) * block) - from * block);
    };
    const view = drawing(width => Math.min(width, 640), "messages by sender (down) and receiver (across); the table below has the figures", (context, width, height) => {
        view.canvas.width = width = height;
        bins = bin(height);
        const most = Math.log1p(bins.sums.reduce((a, b) => Math.max(a, b), 1)), image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
        const colours = new Map();
        for (let down = 0; down < bins.down; down++)
            for (let across = 0; across < bins.across; across++) {
                const value = bins.sums[down * bins.across + across];
                if (!value) continue;
                let pixel = colours.get(value);
                if (pixel === undefined) {
                    const [r, g, b] = ramp(Math.log1p(value) / most);
                    colours.set(value, pixel = 0xff000000 | b << 16 | g << 8 | r);
                }
                const left = Math.floor(across * width / bins.across), right = Math.max(left + 1, Math.floor((across + 1) * width / bins.across));
                const top = Math.floor(down * height / bins.down), bottom = Math.max(top + 1, Math.floor((down + 1) * height / bins.down));
                for (let line = top; line < bottom; line++) pixels.fill(pixel, line * width + left, line * width + right);
            }
        context.putImageData(image, 0, 0);
        where.replaceChildren("Senders " + part(0, 1, bins.top, bins.bottom) + " from top to bottom, receivers " + part(0, 1, bins.left, bins.right) + " from left to right. ", ...colour_scale(amount(1), amount(Math.expm1(most)) + ".", RAMP));
    }, (px, py) => {
        const across = Math.floor(px * bins.across / view.canvas.width), down = Math.floor(py * bins.down / view.canvas.height);
        if (across < 0 || down < 0 || across >= bins.across || down >= bins.down) return "";
        return "from rank " + part(down, bins.down, bins.top, bins.bottom) + " to rank " + part(across, bins.across, bins.left, bins.right) + ": " + amount(bins.sums[down * bins.across + across]);
    }, event => zoom.press(event));
    const amount = v => what === "bytes" ? bytes(Math.round(v)) : plural(Math.round(v), "message");
    const where = el("p", { class: "faint scale" });
    const zoom = zooming(() => view, [x, y], () => view.paint());
    zoom.listen();
    const choice = el("select", { id: "matrix-what", onchange: () => { what = choice.value; view.paint(); } }, el("option", { value: "bytes" }, "bytes"), el("option", { value: "messages" }, "messages"));
    const places = new Map(by_place.map(row => [site_key(row.func, row.site), row])), communicators = [...new Set(by_place.map(row => row.communicator))];
    const options = [["all messages", () => true], ...communicators.map(one => ["on " + (one === null ? "a communicator that is not known" : one), row => row.communicator === one]),
        ...[...places.values()].map(place => [place.func + " at " + site_place(place), row => row.func === place.func && row.site === place.site])];
    const filter = el("select", { id: "matrix-of", onchange: () => {
        pairs = filter.value === "0" ? all : pairs_where(by_place, options[Number(filter.value)][1]);
        list.replaceChildren(pairs_table());
        view.paint();
    } }, options.map(([words], i) => el("option", { value: String(i) }, words)));
    const pairs_table = () => table([{ title: "from", value: p => p.from, text: p => name(p.from) }, { title: "to", value: p => p.to, text: p => name(p.to) }, { title: "messages", value: p => p.messages, text: p => number(p.messages) },
        { title: "bytes", value: p => p.bytes, text: p => number(p.bytes) }], pairs, 3, undefined, FEW_ROWS);
    const list = el("div", {}, pairs_table());
    section("messages", "Messages from rank to rank", el("p", {}, "Brighter is more, on a logarithmic scale" + (block > 1 ? "; " + block + " neighbouring ranks are one cell" : "") + "."
        + (text.split("\n", 1)[0].endsWith(",estimated") ? " Estimated: of the ranks of a cell that make the same calls, the messages of some were read, and stand for the others\u2019." : "")), el("div", { class: "choose" }, el("label", {}, "Show ", choice), by_place.length ? el("label", {}, " of ", filter) : null),
        zoom.buttons, where, view.element, list);
}
