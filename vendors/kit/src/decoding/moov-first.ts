/** How deep the tables of places lie, and where. */
const way = ['trak', 'mdia', 'minf', 'stbl']

interface Box {
  type: string
  start: number
  /** Where what is inside begins. */
  body: number
  end: number
}

/**
 * An MP4 file whose tables come before its samples, so that it is decoded piece by piece: recorders write them
 * last. Answers the length of what must be read in one piece, too; 0 if there are no tables.
 */
export function moovFirst(file: Buffer): { bytes: Buffer; headBytes: number } {
  const boxes = [...boxesIn(file, 0, file.length)]
  const moov = boxes.find(({ type }) => type === 'moov')
  if (!moov) return { bytes: file, headBytes: 0 }
  const media = boxes.find(({ type }) => type === 'mdat')
  if (!media || moov.start < media.start) return { bytes: file, headBytes: moov.end }
  const tables = Buffer.from(file.subarray(moov.start, moov.end))
  const moved = moov.end - moov.start
  movePlaces(tables, moov.body - moov.start, tables.length, way, (place) =>
    place >= media.start && place < moov.start ? place + moved : place,
  )
  const bytes = Buffer.concat([
    file.subarray(0, media.start),
    tables,
    file.subarray(media.start, moov.start),
    file.subarray(moov.end),
  ])
  return { bytes, headBytes: media.start + moved }
}

function movePlaces(
  tables: Buffer,
  from: number,
  to: number,
  [step, ...further]: readonly string[],
  moved: (place: number) => number,
) {
  for (const { type, body, end } of boxesIn(tables, from, to)) {
    if (step !== undefined && type === step) movePlaces(tables, body, end, further, moved)
    if (step !== undefined || (type !== 'stco' && type !== 'co64')) continue
    const width = type === 'stco' ? 4 : 8
    for (let at = body + 8; at + width <= end; at += width)
      if (width === 4) tables.writeUInt32BE(moved(tables.readUInt32BE(at)) % 2 ** 32, at)
      else
        tables.writeBigUInt64BE(
          BigInt(moved(Number(tables.readBigUInt64BE(at)))) & 0xffff_ffff_ffff_ffffn,
          at,
        )
  }
}

/** The boxes that lie whole in this stretch; one of no length reaches to its end. */
function* boxesIn(file: Buffer, from: number, to: number): Iterable<Box> {
  for (let start = from; start + 8 <= to;) {
    let length = file.readUInt32BE(start)
    let body = start + 8
    if (length === 1 && start + 16 <= to) {
      length = Number(file.readBigUInt64BE(start + 8))
      body = start + 16
    }
    const end = length === 0 ? to : start + length
    if (end < body || end > to) return
    yield { type: file.toString('latin1', start + 4, start + 8), start, body, end }
    start = end
  }
}
