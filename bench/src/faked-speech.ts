import { setTimeout as sleep } from 'node:timers/promises'
import { startWireFake, type HttpAnswer, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'

/** Louder than this is speech. */
const loud = 500
const sampleRate = 24_000
const speechSeconds = 2
const pieceBytes = 9_600
const tone = Buffer.from(
  Int16Array.from({ length: sampleRate * speechSeconds }, (_, at) => Math.round(8000 * Math.sin(at / 8)))
    .buffer,
)

/** How long each vendor takes, as good ones do. */
const takes = { wordsMs: 150, firstTokenMs: 250, firstSoundMs: 120 }
export const fakedMs = takes.wordsMs + takes.firstTokenMs + takes.firstSoundMs
/** After so much silence the ears say what they heard. */
const quietMs = 200

export interface FakedSpeech {
  /** What the ears make of anything that is loud; nothing, if it is empty. */
  hears?: () => string
  /** What the model answers, word by word. */
  answers?: readonly string[]
  /** What the voice makes of every sentence: samples of 24 kHz. */
  sound?: Buffer
}

/** Ears, a model and a voice on the wires of their vendors, which cost as little as can be. */
export async function startFakedSpeech({
  hears = () => 'What time is it?',
  answers = ['It ', 'is ', 'three ', 'in ', 'the ', 'afternoon.'],
  sound = tone,
}: FakedSpeech = {}) {
  return startWireFake({
    refusal: (words) => ({ error: { message: words } }),
    socket: (socket, { url }) => listen(socket, Number(url.searchParams.get('sample_rate')), hears),
    async http({ url }, answer) {
      if (url.pathname.endsWith('/audio/speech')) await speak(answer, sound)
      else await think(answer, answers)
    },
  })
}

/** Hears one sentence in whatever is loud, once it is quiet again. */
function listen(socket: SocketAnswer, rate: number, hears: () => string) {
  let quietSamples = 0
  let isSpoken = false
  let heardSamples = 0
  socket.onFrame((frame) => {
    if (typeof frame === 'string') {
      if (frame.includes('CloseStream')) {
        socket.send({ type: 'Metadata' })
        socket.close()
      }
      return
    }
    const samples = frame.length >> 1
    heardSamples += samples
    const isLoud = isLoudIn(frame)
    if (isLoud && !isSpoken && hears() !== '')
      socket.send(results(begun(hears()), false, heardSamples / rate))
    if (isLoud) isSpoken = true
    quietSamples = isLoud ? 0 : quietSamples + samples
    if (!isSpoken || quietSamples < (quietMs / 1000) * rate) return
    isSpoken = false
    const atS = heardSamples / rate
    const words = hears()
    if (words !== '') setTimeout(() => socket.send(results(words, true, atS)), takes.wordsMs)
  })
}

/** As it sounds at first. */
const begun = (words: string) => words.toLowerCase().replace(/\W+$/, '').split(' ').slice(0, 2).join(' ')

/** Checks every fourth sample, which is enough. */
function isLoudIn(pcm: Buffer): boolean {
  for (let at = 0; at + 1 < pcm.length; at += 8) if (Math.abs(pcm.readInt16LE(at)) > loud) return true
  return false
}

const results = (transcript: string, is_final: boolean, start: number) => ({
  type: 'Results',
  is_final,
  speech_final: is_final,
  start,
  duration: 1,
  channel: { alternatives: [{ transcript, words: [] }] },
})

async function think(answer: HttpAnswer, answers: readonly string[]) {
  await sleep(takes.firstTokenMs)
  answer.start({ 'content-type': 'text/event-stream' })
  for (const word of answers)
    await answer.piece(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: word } }] })}\n\n`)
  const usage = { prompt_tokens: 50, completion_tokens: 6, total_tokens: 56 }
  const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  await answer.piece(`data: ${JSON.stringify(stop)}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\n`)
  await answer.piece('data: [DONE]\n\n')
  answer.end()
}

async function speak(answer: HttpAnswer, sound: Buffer) {
  await sleep(takes.firstSoundMs)
  answer.start({ 'content-type': 'audio/pcm' })
  for (let at = 0; at < sound.length; at += pieceBytes)
    await answer.piece(sound.subarray(at, at + pieceBytes))
  answer.end()
}
