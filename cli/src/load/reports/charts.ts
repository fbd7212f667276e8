/** A line of a chart; null is a gap. */
export interface ChartLine {
  label: string
  colour: string
  points: readonly (readonly [atS: number, value: number | null])[]
}

export interface Chart {
  title: string
  unit: (value: number) => string
  lines: readonly ChartLine[]
  /** Seconds at which the load changed. */
  marks: readonly number[]
  /** A limit, drawn across. */
  limit?: { value: number; label: string } | undefined
}

const [width, height] = [860, 240]
const inner = { left: 72, right: 16, top: 16, bottom: 32 }
const gridLines = 4

/** One chart as inline SVG. */
export function svgOf({ title, unit, lines, marks, limit }: Chart): string {
  const all = lines.flatMap(({ points }) => points)
  const lastS = Math.max(1, ...all.map(([atS]) => atS), ...marks)
  const values = all.flatMap(([, value]) => (value === null ? [] : [value]))
  const most = niceTop(Math.max(0, ...values, ...(limit ? [limit.value * 1.05] : [])))
  const x = (atS: number) => inner.left + (atS / lastS) * (width - inner.left - inner.right)
  const y = (value: number) => height - inner.bottom - (value / most) * (height - inner.top - inner.bottom)
  const text = (atX: number, atY: number, anchor: string, words: string) =>
    `<text x="${fixed(atX)}" y="${fixed(atY)}" text-anchor="${anchor}">${escaped(words)}</text>`
  const rows = Array.from({ length: gridLines + 1 }, (_, n) => (most * n) / gridLines).map(
    (value) =>
      `<line class="grid" x1="${inner.left}" x2="${width - inner.right}" y1="${fixed(y(value))}" y2="${fixed(y(value))}"/>` +
      text(inner.left - 8, y(value) + 4, 'end', unit(value)),
  )
  const columns = Array.from({ length: 7 }, (_, n) => (lastS * n) / 6).map((atS) =>
    text(x(atS), height - inner.bottom + 18, 'middle', `${Math.round(atS)} s`),
  )
  const changes = marks.map(
    (atS) =>
      `<line class="mark" x1="${fixed(x(atS))}" x2="${fixed(x(atS))}" y1="${inner.top}" y2="${height - inner.bottom}"/>`,
  )
  const across = limit
    ? `<line class="limit" x1="${inner.left}" x2="${width - inner.right}" y1="${fixed(y(limit.value))}" y2="${fixed(y(limit.value))}"/>` +
      `<g class="limit-label">${text(width - inner.right, y(limit.value) - 5, 'end', limit.label)}</g>`
    : ''
  const drawn = lines.map(({ points, colour }) => pathOf(points, x, y, colour))
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">${[...rows, ...columns, ...changes, across, ...drawn].join('')}</svg>`
}

function pathOf(
  points: ChartLine['points'],
  x: (atS: number) => number,
  y: (value: number) => number,
  colour: string,
): string {
  let isPenDown = false
  const moves = points.flatMap(([atS, value]) => {
    if (value === null) {
      isPenDown = false
      return []
    }
    const move = `${isPenDown ? 'L' : 'M'}${fixed(x(atS))} ${fixed(y(value))}`
    isPenDown = true
    return [move]
  })
  const dots = points
    .flatMap(([atS, value]) => (value === null ? [] : [[x(atS), y(value)] as const]))
    .map(([atX, atY]) => `<circle cx="${fixed(atX)}" cy="${fixed(atY)}" r="2" fill="${colour}"/>`)
  return `<path d="${moves.join('')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}`
}

const fixed = (value: number) => value.toFixed(1)

/** The next of 1, 2, 2.5, 5, 10 times a power of ten, so that the grid has round numbers. */
function niceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value) ?? 10
  return factor * power
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
