import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '@switchroom/cli/command-table'
import { findCommand, parse, readLine } from '@switchroom/cli/parsing'
import { root } from '../launch.ts'
import { commandsOf, pages, wordsOf } from './page-commands.ts'

const all = pages.flatMap((page) => commandsOf(page).map((text) => ({ page, text })))
/** The words of the pages' commands from the program on. */
const linesOf = (program: RegExp) =>
  all.flatMap(({ page, text }) => {
    const [, line] = program.exec(text) ?? []
    return line === undefined ? [] : [{ page, text, words: wordsOf(line.split(/ [|<>] | && /)[0] ?? '') }]
  })

test('every svc command of every page is one that svc understands, options and arguments included', () => {
  const lines = linesOf(/(?:^|\s|\()(?:npx )?svc ((?!needs).+)/s)
  assert.ok(lines.length > 25, `${lines.length} commands`)
  for (const { page, text, words } of lines) {
    if (words[0] === 'help') continue
    const command = findCommand(commands, readLine(words).words)
    assert.ok(command, `${page}: ${text}`)
    assert.doesNotThrow(() => parse(command, words), `${page}: ${text}`)
  }
})

test('every npm script and every program that a page runs exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const made = new Set(['desk.js', 'desk.ts']) // which the pages tell their reader to write
  for (const { page, text, words } of linesOf(/(?:^|\s)npm (.+)/s)) {
    const [verb = '', name = ''] = words
    if (['install', 'pack', 'publish', 'version', 'view', 'audit'].includes(verb)) continue
    if (page.startsWith('examples') || verb !== 'run' || name in scripts) continue
    assert.ok(name in scripts, `${page}: ${text}`)
  }
  for (const { page, text, words } of linesOf(/^(?:[A-Z_]+=\S* )*(?:npx )?node (.+)/s)) {
    const file = words.find((word) => /\.[jt]s$/.test(word)) ?? ''
    assert.ok(made.has(file) || existsSync(join(root, file)), `${page}: ${text}`)
  }
})
