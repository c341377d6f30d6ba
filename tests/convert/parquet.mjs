// SPDX-License-Identifier: BSD-3-Clause
// Writes an Arrow file as Parquet by parquet-wasm, and prints how many rows hyparquet reads from that, all equal to those of apache-arrow:
// parquet.mjs FOLDER_OF_MODULES ARROW_FILE
import {createRequire} from 'module';
import {readFileSync} from 'fs';
const require = createRequire(process.argv[2] + '/');
const {tableFromIPC, tableToIPC} = require('apache-arrow');
const {Table, writeParquet} = require('parquet-wasm/node');
const {parquetReadObjects} = await import(process.argv[2] + '/node_modules/hyparquet/src/node.js');
const table = tableFromIPC(readFileSync(process.argv[3]));
const bytes = writeParquet(Table.fromIPCStream(tableToIPC(table, 'stream')));
const rows = await parquetReadObjects({file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)});
const plain = (value) => typeof value === 'bigint' ? Number(value) : value === undefined ? null : value;
let at = 0;
for (const row of table) {
    const found = rows[at++], wanted = row.toJSON();
    for (const name of Object.keys(wanted))
        if (plain(found?.[name]) !== plain(wanted[name]))
            throw new Error(`row ${at}, ${name}: ${plain(found?.[name])}, not ${plain(wanted[name])}`);
}
if (rows.length !== at)
    throw new Error(`${rows.length} rows, not ${at}`);
console.log(at);
