import { transcriber, patient, programsUnder, voice } from './speech.ts'

// A host as another process runs one: it uses both programs, prints their process ids, and ends or continues on request.

await Array.fromAsync(voice().speak('One moment, please.', patient()))

const heard = transcriber().listen(quietAudio(), 16_000, patient())
for await (const piece of heard) if (piece.type === 'ready') await sayPrograms()

async function sayPrograms() {
  const programs = await programsUnder(process.pid, 'program.ts')
  process.stdout.write(`${JSON.stringify(programs)}\n`)
}

async function* quietAudio() {
  yield Buffer.alloc(32_000)
  if (process.argv[2] === 'stay') await new Promise(() => setInterval(() => {}, 1_000))
}
