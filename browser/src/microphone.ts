/** The microphones and speakers of this browser; their labels are empty until a microphone was allowed. */
export interface Devices {
  microphones: MediaDeviceInfo[]
  speakers: MediaDeviceInfo[]
}

export async function devices(): Promise<Devices> {
  const all = await navigator.mediaDevices.enumerateDevices()
  return {
    microphones: all.filter(({ kind }) => kind === 'audioinput'),
    speakers: all.filter(({ kind }) => kind === 'audiooutput'),
  }
}

/** One microphone that can be muted and replaced. */
export class Microphone {
  #track: MediaStreamTrack
  #isMuted = false

  private constructor(track: MediaStreamTrack) {
    this.#track = track
  }

  static async open(deviceId?: string): Promise<Microphone> {
    return new Microphone(await listen(deviceId))
  }

  get track(): MediaStreamTrack {
    return this.#track
  }

  get isMuted(): boolean {
    return this.#isMuted
  }

  mute(isMuted: boolean): void {
    this.#isMuted = isMuted
    this.#track.enabled = !isMuted
  }

  /** Takes another one; the old one stays if the other cannot be opened or taken. */
  async change(deviceId: string, take: (track: MediaStreamTrack) => Promise<void>): Promise<void> {
    const track = await listen(deviceId)
    track.enabled = !this.#isMuted
    try {
      await take(track)
    } catch (error) {
      track.stop()
      throw error
    }
    this.#track.stop()
    this.#track = track
  }

  close(): void {
    this.#track.stop()
  }
}

async function listen(deviceId?: string): Promise<MediaStreamTrack> {
  const wanted = deviceId === undefined ? {} : { deviceId: { exact: deviceId } }
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, ...wanted },
    })
    const [track] = stream.getAudioTracks()
    if (!track) throw new Error('the stream has no sound')
    return track
  } catch (error) {
    throw new Error(whyNot(error), { cause: error })
  }
}

function whyNot(error: unknown): string {
  if (!isSecureContext) return 'A microphone needs a page served over https. Open this page over https.'
  const isForbidden = error instanceof DOMException && error.name === 'NotAllowedError'
  return isForbidden
    ? 'Microphone access is blocked. Allow it for this page, then try again.'
    : 'No microphone found. Connect one, then try again.'
}
