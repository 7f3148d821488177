// SPDX-License-Identifier: Apache-2.0
// A heap dump (HPROF 1.0.2, ids of 8 bytes) of a few objects, made without a JVM, for the tests of pages.

const OBJECT = 2;
const BYTE = 8;

const u1 = (v) => Buffer.from([v]);
const u2 = (v) => { const b = Buffer.alloc(2); b.writeUInt16BE(v); return b; };
const u4 = (v) => { const b = Buffer.alloc(4); b.writeUInt32BE(v); return b; };
const id = (v) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(v)); return b; };

/** Collects records; every name and object gets the next id. */
class Dump {
  constructor() {
    this.next = 0x1000; // small ones are the classes of arrays of numbers
    this.names = new Map();
    this.records = [];
    this.heap = [];
    this.serial = 1;
  }

  take() {
    return this.next++;
  }

  record(tag, ...parts) {
    const body = Buffer.concat(parts);
    this.records.push(Buffer.concat([u1(tag), u4(0), u4(body.length), body]));
  }

  name(text) {
    if (!this.names.has(text)) {
      this.names.set(text, this.take());
      this.record(1, id(this.names.get(text)), Buffer.from(text));
    }
    return this.names.get(text);
  }

  /** A class whose fields and static fields are references. statics: {name: object}. */
  define(name, above, fields, statics = {}) {
    const at = this.take();
    const all = [...fields, ...(above?.all ?? [])]; // as instances have them: the class's own first
    this.record(2, u4(this.serial++), id(at), u4(0), id(this.name(name)));
    this.heap.push(u1(0x20), id(at), u4(0), id(above?.id ?? 0), id(0), id(0), id(0), id(0), id(0), u4(8 * all.length), u2(0),
      u2(Object.keys(statics).length), ...Object.entries(statics).flatMap(([n, o]) => [id(this.name(n)), u1(OBJECT), id(o)]),
      u2(fields.length), ...fields.flatMap((n) => [id(this.name(n)), u1(OBJECT)]));
    return { id: at, all };
  }

  /** An object of the class at an id that was taken, with what its fields refer to. */
  put(cls, at, ...values) {
    this.heap.push(u1(0x21), id(at), u4(0), id(cls.id), u4(8 * values.length), ...values.map(id));
    return at;
  }

  bytes(at, n) {
    this.heap.push(u1(0x23), id(at), u4(0), u4(n), u1(BYTE), Buffer.alloc(n, at % 251));
    return at;
  }

  array(cls, at, elements) {
    this.heap.push(u1(0x22), id(at), u4(0), u4(elements.length), id(cls.id), ...elements.map(id));
    return at;
  }

  root(cls) {
    this.heap.push(u1(0x05), id(cls.id));
  }

  file(timeMs) {
    const body = Buffer.concat(this.heap);
    this.record(0x1c, body);
    this.record(0x2c);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(timeMs));
    return Buffer.concat([Buffer.from('JAVA PROFILE 1.0.2\0'), u4(8), time, ...this.records]);
  }
}

/** Two leaks: sessions in a static field's table, and a list as long as `links` that ends in a buffer. Names as they are given. */
export function leakyHeap({ session = 'shop/Session', links = 20, timeMs = 1700000000000 } = {}) {
  const d = new Dump();
  const object = d.define('java/lang/Object', null, []);
  d.define('java/lang/Class', object, []);
  d.define('[B', object, []);
  const objects = d.define('[Ljava/lang/Object;', object, []);
  const sessions = d.define(session, object, ['basket']);
  const link = d.define('shop/Event', object, ['next', 'payload']);
  const [table, head] = [d.take(), d.take()];
  const registry = d.define('shop/Registry', object, [], { SESSIONS: table, HISTORY: head });
  d.root(registry);
  d.array(objects, table, Array.from({ length: 40 }, () => d.put(sessions, d.take(), d.bytes(d.take(), 60000))));
  let at = head;
  for (let i = 0; i < links; i++) {
    const next = i < links - 1 ? d.take() : 0;
    d.put(link, at, next, i < links - 1 ? 0 : d.bytes(d.take(), 1500000));
    at = next;
  }
  return d.file(timeMs);
}
