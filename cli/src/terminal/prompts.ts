import { interrupted, wrongUsage } from './failures.ts'

const ctrlC = '\u0003'
const ctrlD = '\u0004'
const erasers = new Set(['\u007f', '\b'])

/** A secret from a prompt that does not show it, or from standard input; never from an argument. */
export async function askSecret(question: string): Promise<string> {
  const secret = process.stdin.isTTY ? await typed(question) : await readStandardInput()
  const trimmed = secret.trim()
  if (trimmed === '') throw wrongUsage('nothing was entered')
  return trimmed
}

export async function readStandardInput(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece as Buffer))
  return Buffer.concat(pieces).toString('utf8')
}

function typed(question: string): Promise<string> {
  const { stdin, stderr } = process
  stdin.setRawMode(true) // before the question, so that nothing typed after it is shown
  stdin.setEncoding('utf8')
  stderr.write(question)
  return new Promise((resolve, reject) => {
    let text = ''
    const done = (settle: () => void) => {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      settle()
    }
    const take = (piece: string) => {
      for (const character of piece) {
        if (character === '\r' || character === '\n' || character === ctrlD) return done(() => resolve(text))
        if (character === ctrlC) return done(() => reject(interrupted()))
        text = erasers.has(character) ? text.slice(0, -1) : text + character
      }
    }
    stdin.on('data', take)
    stdin.resume()
  })
}
