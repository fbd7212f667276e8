import { OggFile } from './ogg-file.ts'

const wavHeaderBytes = 44
const [opusRateAt, wavChannelsAt, wavRateAt] = [40, 22, 24]
const bitsPerSecond = 48_000
/** Encoded at once. */
const blockS = 1
const mostWaiting = 20

/** An Ogg Opus file of ours as a WAV file, at the rate that it was recorded at. */
export async function wavOf(ogg: Blob): Promise<Blob> {
  const bytes = await ogg.arrayBuffer()
  const sampleRate = new DataView(bytes).getUint32(opusRateAt, true)
  const decoded = await new OfflineAudioContext(2, 1, sampleRate).decodeAudioData(bytes).catch(() => {
    throw new Error('This browser cannot make a WAV file of the recording. Download it as Opus.')
  })
  const { length, numberOfChannels: channels } = decoded
  const samples = new Int16Array(length * channels)
  for (let channel = 0; channel < channels; channel += 1)
    for (const [at, sample] of decoded.getChannelData(channel).entries())
      samples[at * channels + channel] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)
  return new Blob([wavHeader(sampleRate, channels, samples.byteLength), samples], { type: 'audio/wav' })
}

function wavHeader(sampleRate: number, channels: number, dataBytes: number): ArrayBuffer {
  const header = new DataView(new ArrayBuffer(wavHeaderBytes))
  const write = (at: number, text: string) =>
    new TextEncoder().encode(text).forEach((byte, index) => header.setUint8(at + index, byte))
  write(0, 'RIFF')
  header.setUint32(4, dataBytes + wavHeaderBytes - 8, true)
  write(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true) // PCM
  header.setUint16(wavChannelsAt, channels, true)
  header.setUint32(wavRateAt, sampleRate, true)
  header.setUint32(28, sampleRate * channels * 2, true)
  header.setUint16(32, channels * 2, true)
  header.setUint16(34, 16, true)
  write(36, 'data')
  header.setUint32(40, dataBytes, true)
  return header.buffer
}

/** A WAV file of ours (16 bit) as an Ogg Opus file. */
export async function opusOf(wav: Blob): Promise<Blob> {
  const bytes = await wav.arrayBuffer()
  const header = new DataView(bytes)
  const [numberOfChannels, sampleRate] = [
    header.getUint16(wavChannelsAt, true),
    header.getUint32(wavRateAt, true),
  ]
  const config = { codec: 'opus', sampleRate, numberOfChannels, bitrate: bitsPerSecond }
  const isPossible =
    typeof AudioEncoder === 'function' && (await AudioEncoder.isConfigSupported(config)).supported
  if (!isPossible)
    throw new Error('This browser cannot make an Opus file of the recording. Download it as WAV.')
  const samples = new Int16Array(bytes, wavHeaderBytes, Math.floor((bytes.byteLength - wavHeaderBytes) / 2))
  const file = new OggFile(numberOfChannels, sampleRate, samples.length / numberOfChannels / sampleRate)
  const failed = Promise.withResolvers<never>()
  const encoder = new AudioEncoder({ output: (chunk) => file.add(chunk), error: failed.reject })
  encoder.configure(config)
  const block = blockS * sampleRate * numberOfChannels
  const encode = async () => {
    for (let at = 0; at < samples.length; at += block) {
      const data = samples.slice(at, at + block)
      const numberOfFrames = data.length / numberOfChannels
      const timestamp = (at / numberOfChannels / sampleRate) * 1_000_000
      const sound = new AudioData({
        format: 's16',
        sampleRate,
        numberOfChannels,
        numberOfFrames,
        timestamp,
        data,
      })
      encoder.encode(sound)
      sound.close()
      if (encoder.encodeQueueSize > mostWaiting)
        await new Promise((resolve) => encoder.addEventListener('dequeue', resolve, { once: true }))
    }
    await encoder.flush()
  }
  await Promise.race([encode(), failed.promise])
  encoder.close()
  return file.end()
}
