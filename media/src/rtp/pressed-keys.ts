import { frameMs } from '../sound/pacer.ts'
import { ToneDetector } from '../sound/tone-detector.ts'

/** Before anybody listens, no more are kept than a person presses. */
const mostKept = 32
/** A key by signalling so soon after the same one in the sound is that one. */
const sameKeyFrames = 1000 / frameMs

/** The keys that a party presses, however they come. */
export class PressedKeys {
  #listener: ((key: string) => void) | undefined
  #kept: string[] = []
  #detector: ToneDetector | null = null
  #isSignalled = false
  #lastHeard: string | undefined
  #framesSince = 0

  /** The first listener gets the keys that were pressed before. */
  onKey(listener: (key: string) => void): void {
    this.#listener = listener
    for (const key of this.#kept.splice(0)) listener(key)
  }

  /** Whether keys in the sound count: only if the party has no telephone events, and no INFO came of it. */
  listen(isAudible: boolean, sampleRate: number): void {
    this.#detector = isAudible && !this.#isSignalled ? new ToneDetector(sampleRate) : null
  }

  /** One that came as a telephone event. */
  press(key: string): void {
    if (this.#listener) this.#listener(key)
    else if (this.#kept.length < mostKept) this.#kept.push(key)
  }

  /** One that came as signalling (INFO): the party's next ones do too, so what is audible counts no more. */
  signal(key: string): void {
    const isTold = key === this.#lastHeard && this.#framesSince < sameKeyFrames
    this.#isSignalled = true
    this.#detector = null
    this.#lastHeard = undefined
    if (!isTold) this.press(key)
  }

  /** What was heard may be a key. */
  hear(frame: Int16Array): void {
    if (!this.#detector) return
    this.#framesSince += 1
    for (const key of this.#detector.take(frame)) {
      this.#lastHeard = key
      this.#framesSince = 0
      this.press(key)
    }
  }
}
