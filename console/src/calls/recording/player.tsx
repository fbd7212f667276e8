import type { Waveform } from '@switchroom/contract/recordings'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Refusal } from '../../ui/feedback.tsx'
import { Checkbox, Select } from '../../ui/field.tsx'
import { lengthOf } from '../../ui/quantities.ts'
import { Downloads } from './downloads.tsx'
import { useIsPlaying, usePosition, type Playback } from './playback.ts'
import { usePlayerKeys } from './player-keys.ts'
import './recording.css'
import { errorOf, useSound } from './sound.ts'
import { silencesOf } from './speech-times.ts'
import { Waves } from './waves.tsx'

const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2]

interface PlayerProps {
  call: string
  waveform: Waveform
  playback: Playback
}

export default function Player({ call, waveform, playback }: PlayerProps) {
  const { sound, load, busy, error } = useSound(call)
  const [unplayable, setUnplayable] = useState<Error | null>(null)
  const isPlaying = useIsPlaying(playback)
  const [speed, setSpeed] = useState(1)
  const [skipsSilence, setSkipsSilence] = useState(false)
  const audio = useRef<HTMLAudioElement>(null)
  const atS = usePosition(playback)
  const lengthS = waveform.duration_ms / 1000
  const silences = useMemo(() => silencesOf(waveform), [waveform])

  const moveTo = useCallback(
    (seconds: number) => {
      const at = Math.min(lengthS, Math.max(0, seconds))
      const player = audio.current
      if (player?.src) player.currentTime = at
      playback.moveTo(at, true)
    },
    [playback, lengthS],
  )
  const play = useCallback(
    async (fromS: number) => {
      const player = audio.current
      const loaded = await load()
      if (!player || !loaded) return
      const isFirst = player.src !== loaded.address
      if (isFirst) player.src = loaded.address
      moveTo(fromS)
      setUnplayable(null)
      await player.play().catch((refused: unknown) => {
        if (player.error)
          setUnplayable(new Error('This browser cannot play the recording. Download it as WAV or Opus.'))
        else if (!(refused instanceof DOMException && refused.name === 'AbortError'))
          setUnplayable(errorOf(refused))
      })
    },
    [load, moveTo],
  )
  const toggle = () => {
    if (isPlaying) audio.current?.pause()
    else void play(playback.atS >= lengthS - endS ? 0 : playback.atS)
  }

  useEffect(
    () => playback.attach({ play: (fromS) => void play(fromS), pause: () => audio.current?.pause() }),
    [playback, play],
  )
  useEffect(() => {
    if (audio.current) audio.current.playbackRate = speed
  }, [speed, sound])
  useEffect(() => {
    if (!isPlaying) return
    let frame = 0
    const follow = () => {
      const player = audio.current
      if (!player) return
      const at = player.currentTime
      const silence = skipsSilence && silences.find(({ fromS, toS }) => fromS <= at && at < toS)
      if (silence) player.currentTime = silence.toS
      playback.moveTo(silence ? silence.toS : at, true)
      frame = requestAnimationFrame(follow)
    }
    follow()
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, skipsSilence, silences, playback])
  usePlayerKeys({ isLoaded: sound !== null, toggle, moveBy: (seconds) => moveTo(playback.atS + seconds) })

  return (
    <div className="recording stack" data-player>
      {/* The transcript of the call is its caption. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio
        ref={audio}
        onPlay={() => playback.setPlaying(true)}
        onPause={() => playback.setPlaying(false)}
        onEnded={() => playback.moveTo(lengthS, false)}
      />
      <div className="recording-track">
        <Waves waveform={waveform} played={lengthS === 0 ? 0 : Math.min(1, atS / lengthS)} />
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
        <Button tone="primary" busy={busy} aria-keyshortcuts="Space" onClick={toggle}>
          {isPlaying ? 'Pause' : 'Play'}
        </Button>
        <span className="soft recording-time">
          {lengthOf(atS)} / {lengthOf(lengthS)}
        </span>
      </div>
      <div className="recording-options">
        <Select
          label="Speed"
          value={String(speed)}
          onChange={(chosen) => setSpeed(Number(chosen))}
          options={speeds.map((each) => ({ value: String(each), label: `${each}×` }))}
        />
        {silences.length > 0 ? (
          <Checkbox label="Skip silence" checked={skipsSilence} onChange={setSkipsSilence} />
        ) : null}
      </div>
      <Downloads call={call} load={load} />
      <p className="field-hint">Space plays and pauses, the left and right arrows move by 5 seconds.</p>
      <Refusal error={error ?? unplayable} />
    </div>
  )
}

/** So close to its end it plays from the beginning. */
const endS = 0.2
