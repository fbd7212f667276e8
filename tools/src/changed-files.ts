import { execFileSync } from 'node:child_process'
import { root } from './test-files.ts'

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

const listed = (...words: string[]) =>
  git(...words, '-z')
    .split('\0')
    .filter(Boolean)

/** What differs from the commit from which the work branched off, and what git does not know yet. */
export function changedFiles(ref: string): string[] {
  const branchedOff = git('merge-base', ref, 'HEAD').trim()
  const files = [
    ...listed('diff', '--name-only', '--no-renames', branchedOff),
    ...listed('ls-files', '--others', '--exclude-standard'),
  ]
  return [...new Set(files)].toSorted()
}
