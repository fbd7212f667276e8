import tokenizer from 'llama-tokenizer-js'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { openSession } from './sessions.ts'
import { besideEntryOf, checkedWeights } from './weights.ts'

const folder = 'model/tiny/quantized/'
const sha256 = {
  'encoder_model.onnx': 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
  'decoder_model_merged.onnx': 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
}

const shape = { layers: 6, heads: 8, headSize: 36 }
const startToken = 1
const endToken = 2
const sampleRate = 16_000
/** An upper bound of speech: without it the model repeats itself over noise. */
const mostTokensPerSecond = 7
const fewestTokens = 6
/** Under this the encoder has too little to look at. */
const fewestSamples = sampleRate / 2

/** Moonshine tiny, English. One decoding at a time; between two tokens the process can do other things. */
export class Moonshine {
  readonly #encoder: InferenceSession
  readonly #decoder: InferenceSession
  /** What changes from token to token: the rest of the cache is made once and never asked for again. */
  readonly #changing: string[]

  private constructor(encoder: InferenceSession, decoder: InferenceSession) {
    this.#encoder = encoder
    this.#decoder = decoder
    this.#changing = decoder.outputNames.filter((name) => !name.includes('encoder'))
  }

  static async load(): Promise<Moonshine> {
    const load = async (file: keyof typeof sha256) =>
      openSession(
        await checkedWeights(besideEntryOf('@moonshine-ai/moonshine-js', folder + file), sha256[file]),
      )
    return new Moonshine(await load('encoder_model.onnx'), await load('decoder_model_merged.onnx'))
  }

  /** Ends early, with what it has, when it is cancelled. */
  async hear(samples: Float32Array, isWanted: () => boolean): Promise<string> {
    const audio = atLeast(fewestSamples, samples)
    const mostTokens = fewestTokens + Math.ceil((audio.length / sampleRate) * mostTokensPerSecond)
    const encoded = await this.#encoder.run({ input_values: new Tensor('float32', audio, [1, audio.length]) })
    const hidden = named(encoded, 'last_hidden_state')
    const cache = emptyCache()
    const tokens: number[] = []
    let token = startToken
    while (tokens.length < mostTokens && isWanted()) {
      token = await this.#next(token, hidden, cache, tokens.length === 0)
      if (token === endToken) break
      tokens.push(token)
    }
    return tokenizer.decode([startToken, ...tokens]).trim()
  }

  async #next(token: number, hidden: Tensor, cache: Map<string, Tensor>, isFirst: boolean): Promise<number> {
    const feeds = {
      input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
      encoder_hidden_states: hidden,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
      ...Object.fromEntries(cache),
    }
    const wanted = isFirst ? this.#decoder.outputNames : this.#changing
    const decoded = await this.#decoder.run(feeds, wanted)
    for (const name of wanted)
      if (name !== 'logits') cache.set(name.replace('present', 'past_key_values'), named(decoded, name))
    return likeliest(named(decoded, 'logits').data as Float32Array)
  }
}

function named(outputs: InferenceSession.OnnxValueMapType, name: string): Tensor {
  const output = outputs[name]
  if (!(output instanceof Tensor)) throw new Error(`the model gave no ${name}`)
  return output
}

function emptyCache(): Map<string, Tensor> {
  const cache = new Map<string, Tensor>()
  for (let layer = 0; layer < shape.layers; layer += 1)
    for (const side of ['decoder', 'encoder'])
      for (const part of ['key', 'value'])
        cache.set(
          `past_key_values.${layer}.${side}.${part}`,
          new Tensor('float32', new Float32Array(0), [0, shape.heads, 1, shape.headSize]),
        )
  return cache
}

function likeliest(logits: Float32Array): number {
  let best = 0
  for (let token = 1; token < logits.length; token += 1)
    if ((logits[token] ?? 0) > (logits[best] ?? 0)) best = token
  return best
}

function atLeast(length: number, samples: Float32Array): Float32Array {
  if (samples.length >= length) return samples
  const padded = new Float32Array(length)
  padded.set(samples)
  return padded
}
