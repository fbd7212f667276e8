/** A line of a chart; null is a moment in which nothing was measured. */
export interface ChartLine {
  colour: string
  points: readonly (readonly [atS: number, value: number | null])[]
}

export interface Chart {
  title: string
  unit: (value: number) => string
  lines: readonly ChartLine[]
  /** How long the run was, in seconds. */
  endS: number
  /** Seconds at which the load changed. */
  marks: readonly number[]
  /** A limit, drawn across. */
  limit?: { value: number; label: string } | undefined
}

const [width, height] = [860, 240]
const inner = { left: 72, right: 16, top: 16, bottom: 32 }
const gridLines = 4
const mostTicks = 8

/** One chart as inline SVG. */
export function svgOf({ title, unit, lines, endS, marks, limit }: Chart): string {
  const all = lines.flatMap(({ points }) => points)
  const values = all.flatMap(([, value]) => (value === null ? [] : [value]))
  const most = niceTop(Math.max(0, ...values, ...(limit ? [limit.value * 1.05] : [])))
  const x = (atS: number) => inner.left + (atS / endS) * (width - inner.left - inner.right)
  const y = (value: number) => height - inner.bottom - (value / most) * (height - inner.top - inner.bottom)
  const text = (atX: number, atY: number, anchor: string, words: string) =>
    `<text x="${fixed(atX)}" y="${fixed(atY)}" text-anchor="${anchor}">${escaped(words)}</text>`
  const rows = Array.from({ length: gridLines + 1 }, (_, n) => (most * n) / gridLines).map(
    (value) =>
      `<line class="grid" x1="${inner.left}" x2="${width - inner.right}" y1="${fixed(y(value))}" y2="${fixed(y(value))}"/>` +
      text(inner.left - 8, y(value) + 4, 'end', unit(value)),
  )
  const everyS = niceTop(endS / mostTicks)
  const columns = Array.from({ length: Math.floor(endS / everyS) + 1 }, (_, n) => n * everyS).map((atS) =>
    text(x(atS), height - inner.bottom + 18, 'middle', `${Number(atS.toFixed(1))} s`),
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
  // A moment in which nothing was measured says nothing: the line goes on to the next one.
  const seen = points.flatMap(([atS, value]) => (value === null ? [] : [[x(atS), y(value)] as const]))
  const moves = seen.map(([atX, atY], at) => `${at === 0 ? 'M' : 'L'}${fixed(atX)} ${fixed(atY)}`)
  const dots = seen.map(
    ([atX, atY]) => `<circle cx="${fixed(atX)}" cy="${fixed(atY)}" r="2.5" fill="${colour}"/>`,
  )
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
