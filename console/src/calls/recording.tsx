import type { Waveform } from '@switchroom/contract/recordings'
import type { Entry } from '@switchroom/contract/log'
import { useEffect, useRef, useState } from 'react'
import { open, path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { Section } from '../ui/page.tsx'
import { lengthOf } from '../ui/quantities.ts'
import './recording.css'

/** The call's recording, to be seen and heard; nothing if the log has none. */
export function Recording({ call, entries }: { call: string; entries: readonly Entry[] }) {
  const isStored = entries.some(({ type }) => type === 'recording.stored')
  const waveform = useGet<Waveform>(isStored ? path`/v1/calls/${call}/recording/waveform` : null)
  if (!isStored) return null
  return (
    <Section title="Recording" hint="Caller above, agent below.">
      <Loaded of={waveform} label="Loading recording">
        {(known) => <Player call={call} waveform={known} />}
      </Loaded>
    </Section>
  )
}

function Player({ call, waveform }: { call: string; waveform: Waveform }) {
  const { sound, load, busy, error } = useSound(call)
  const [unplayable, setUnplayable] = useState<Error | null>(null)
  const audio = useRef<HTMLAudioElement>(null)
  const [atS, setAtS] = useState(0)
  const [isPlaying, setIsPlaying] = useState(false)
  const lengthS = waveform.duration_ms / 1000
  const play = async () => {
    const player = audio.current
    if (isPlaying || !player) return player?.pause()
    const loaded = sound ?? (await load())
    if (!loaded) return undefined
    if (player.src !== loaded.address) player.src = loaded.address
    setUnplayable(null)
    return player.play().catch((refused: unknown) => {
      if (player.error) setUnplayable(new Error('This browser cannot play the recording. Download it.'))
      else if (!(refused instanceof DOMException && refused.name === 'AbortError'))
        setUnplayable(errorOf(refused))
    })
  }
  const moveTo = (seconds: number) => {
    setAtS(seconds)
    if (audio.current) audio.current.currentTime = seconds
  }
  return (
    <div className="recording stack">
      {/* The transcript of the call is its caption. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio
        ref={audio}
        onLoadedMetadata={() => moveTo(atS)}
        onTimeUpdate={({ currentTarget }) => setAtS(currentTarget.currentTime)}
        onPlay={() => setIsPlaying(true)}
        onPause={() => setIsPlaying(false)}
      />
      <div className="recording-track">
        <Waves waveform={waveform} played={lengthS === 0 ? 0 : atS / lengthS} />
        <input
          type="range"
          aria-label="Position"
          aria-valuetext={`${lengthOf(atS)} of ${lengthOf(lengthS)}`}
          min={0}
          max={lengthS}
          step={0.1}
          value={Math.min(atS, lengthS)}
          onChange={({ currentTarget }) => moveTo(Number(currentTarget.value))}
        />
      </div>
      <div className="row">
        <Button tone="primary" busy={busy} onClick={() => void play()}>
          {isPlaying ? 'Pause' : 'Play'}
        </Button>
        <span className="soft">
          {lengthOf(atS)} / {lengthOf(lengthS)}
        </span>
        {sound ? (
          <a href={sound.address} download={`${call}.${sound.type.includes('ogg') ? 'ogg' : 'wav'}`}>
            Download
          </a>
        ) : null}
      </div>
      <Refusal error={error ?? unplayable} />
    </div>
  )
}

/** Both sides over the length of the call. One that is not known is a line. */
function Waves({ waveform: { caller, agent }, played }: { waveform: Waveform; played: number }) {
  const count = Math.max(caller?.length ?? 0, agent?.length ?? 0, 1)
  return (
    <svg viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" aria-hidden="true">
      <Wave peaks={caller ?? []} middle={25} isPlayed={(at) => at / count < played} />
      <Wave peaks={agent ?? []} middle={75} isPlayed={(at) => at / count < played} />
    </svg>
  )
}

interface WaveProps {
  peaks: readonly number[]
  middle: number
  isPlayed: (at: number) => boolean
}

const Wave = ({ peaks, middle, isPlayed }: WaveProps) => (
  <>
    {[true, false].map((played) => (
      <path
        key={String(played)}
        className={played ? 'played' : ''}
        d={peaks.map((peak, at) => (isPlayed(at) === played ? bar(at, middle, peak) : '')).join('')}
      />
    ))}
  </>
)

const [mostPeak, mostHeight, leastHeight] = [255, 46, 1]

const bar = (at: number, middle: number, peak: number) => {
  const height = Math.max(leastHeight, (peak / mostPeak) * mostHeight)
  return `M${at} ${(middle - height / 2).toFixed(1)}h0.7v${height.toFixed(1)}h-0.7z`
}

interface Sound {
  address: string
  type: string
}

/** The sound is loaded when somebody wants to hear it; leaving the page frees it. */
function useSound(call: string) {
  const [sound, setSound] = useState<Sound | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const asked = useRef<AbortController | null>(null)
  useEffect(() => () => asked.current?.abort(), [])
  useEffect(() => {
    if (sound) return () => URL.revokeObjectURL(sound.address)
  }, [sound])
  const load = async (): Promise<Sound | null> => {
    const { signal } = (asked.current = new AbortController())
    setBusy(true)
    setError(null)
    try {
      const answer = await open('get', path`/v1/calls/${call}/recording`, undefined, { signal })
      const blob = await answer.blob()
      const loaded = { address: URL.createObjectURL(blob), type: blob.type }
      setSound(loaded)
      return loaded
    } catch (refused) {
      if (!signal.aborted) setError(errorOf(refused))
      return null
    } finally {
      setBusy(false)
    }
  }
  return { sound, load, busy, error }
}

const errorOf = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))
