import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Default, NumberShape, Shape } from '@switchroom/contract/knob-shapes'
import { knobs, rowOfKnob } from '@switchroom/contract/knobs'

const page = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs/agents.md')
const [begin, end] = ['<!-- knobs: made by `node tools/src/knobs-page.ts` -->\n', '<!-- /knobs -->']

/** The table of knobs as docs/agents.md shows it. */
export function knobsTable(): string {
  const rows = knobs.flatMap((knob) => {
    const { shape, default: own, about, declaredAs, isWords, notBuilt } = rowOfKnob(knob)
    const setBy = [isWords && '`words`', declaredAs !== null && `code (\`${declaredAs}\`)`].filter(Boolean)
    const what = notBuilt === undefined ? about : `${about}. Not built yet: ${notBuilt}`
    const row = [`\`${knob}\``, what, valueOf(shape), defaultOf(own), setBy.join(', ')]
    const members = 'members' in shape ? Object.entries(shape.members) : []
    return [
      row,
      ...members.map(([name, member]) => [
        `\`${knob}.${name}\``,
        member.label,
        valueOf(member.shape) + (member.band ? `, ${member.band.join(' to ')}` : ''),
        defaultOf(member.default),
        '',
      ]),
    ]
  })
  return [
    ['knob', 'what it does', 'value', 'default', 'also set by'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
}

function valueOf(shape: Shape): string {
  if (shape.kind === 'text')
    return `text${shape.longest === undefined ? '' : `, at most ${shape.longest} characters`}`
  if (shape.kind === 'number') return numberWords(shape)
  if (shape.kind === 'flag') return '`true` or `false`'
  if (shape.kind === 'choice') return shape.choices.map((choice) => `\`${choice}\``).join(', ')
  if (shape.kind === 'texts') return 'text, or a list of texts'
  if (shape.kind === 'options') return `object, at most ${shape.longestBytes} bytes`
  if (shape.kind === 'list') return `list of objects with ${shape.needs.member}`
  return shape.oneOf ? `object with ${shape.oneOf.members.join(' or ')}` : 'object'
}

function numberWords({ isWhole, from, to, above }: NumberShape): string {
  const limits = [
    from !== undefined && ` from ${from}`,
    to !== undefined && ` to ${to}`,
    above !== undefined && ` above ${above}`,
  ]
  return [isWhole ? 'whole number' : 'number', ...limits].filter(Boolean).join('')
}

function defaultOf({ value, withTurnModel, platform, note }: Default): string {
  if (platform !== undefined) return `\`defaults.${platform}\` of \`GET /v1/providers\``
  if (value === undefined) return note ?? ''
  const smart = withTurnModel === undefined ? '' : `, \`${withTurnModel}\` with \`smart-turn\``
  return `\`${value}\`${smart}${note === undefined ? '' : `, unless ${note}`}`
}

/** The table on the page, between the two marks; undefined without them. */
export function knobsOnPage(): string | undefined {
  return readFileSync(page, 'utf8').split(begin)[1]?.split(end)[0]
}

if (import.meta.main) {
  const [before = '', rest = ''] = readFileSync(page, 'utf8').split(begin)
  writeFileSync(page, before + begin + knobsTable() + end + (rest.split(end)[1] ?? ''))
}
