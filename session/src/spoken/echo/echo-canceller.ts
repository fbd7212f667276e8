import {
  ApmProcessReverseStreamRequest,
  ApmProcessStreamRequest,
  FfiHandle,
  FfiRequest,
  FfiResponse,
  livekitFfiRequest,
  livekitRetrievePtr,
  NewApmRequest,
} from '@livekit/rtc-ffi-bindings'
import { AudioResampler } from '@livekit/rtc-node'

let isLoaded = false

/** LiveKit's native half is initialised by its first object. */
function load() {
  if (isLoaded) return
  new AudioResampler(16_000, 8_000).close()
  isLoaded = true
}

/** WebRTC's echo canceller, as LiveKit's native half has it: frames of 10 ms. */
export class EchoCanceller {
  readonly #handle: FfiHandle
  readonly #played: Int16Array
  readonly #heard: Int16Array
  /** The native half reads and writes the two arrays: the requests are the same for each frame. */
  readonly #reverse: Uint8Array
  readonly #forward: Uint8Array

  constructor(sampleRate: number) {
    load()
    const made = ask({
      case: 'newApm',
      value: new NewApmRequest({
        echoCancellerEnabled: true,
        gainControllerEnabled: false,
        highPassFilterEnabled: false,
        noiseSuppressionEnabled: false,
      }),
    })
    if (made.case !== 'newApm' || made.value.apm?.handle?.id === undefined)
      throw new Error('LiveKit made no audio processing module')
    const apmHandle = made.value.apm.handle.id
    this.#handle = new FfiHandle(apmHandle)
    this.#played = new Int16Array(sampleRate / 100)
    this.#heard = new Int16Array(sampleRate / 100)
    const about = (samples: Int16Array) => ({
      apmHandle,
      dataPtr: livekitRetrievePtr(new Uint8Array(samples.buffer)),
      size: samples.byteLength,
      sampleRate,
      numChannels: 1,
    })
    const [played, heard] = [about(this.#played), about(this.#heard)]
    this.#reverse = bytesOf({
      case: 'apmProcessReverseStream',
      value: new ApmProcessReverseStreamRequest(played),
    })
    this.#forward = bytesOf({ case: 'apmProcessStream', value: new ApmProcessStreamRequest(heard) })
  }

  /** What is left of what was heard. Both of the same length, a multiple of 10 ms. */
  process(played: Int16Array | null, heard: Int16Array): Int16Array {
    const cleaned = new Int16Array(heard.length)
    const step = this.#heard.length
    for (let at = 0; at < heard.length; at += step) {
      if (played) this.#played.set(played.subarray(at, at + step))
      else this.#played.fill(0)
      this.#heard.set(heard.subarray(at, at + step))
      livekitFfiRequest(this.#reverse)
      livekitFfiRequest(this.#forward)
      cleaned.set(this.#heard, at)
    }
    return cleaned
  }

  close() {
    this.#handle.dispose()
  }
}

type Asked = FfiRequest['message']

const bytesOf = (message: Asked) => new FfiRequest({ message }).toBinary()

const ask = (message: Asked) => FfiResponse.fromBinary(livekitFfiRequest(bytesOf(message))).message
