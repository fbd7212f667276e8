import type { Waveform } from '@switchroom/contract/recordings'
import { memo } from 'react'

interface WavesProps {
  waveform: Waveform
  /** From 0 to 1. */
  played: number
}

/** Both sides over the length of the call. One that is not known is a line. */
export function Waves({ waveform, played }: WavesProps) {
  return (
    <div className="waves">
      <Drawn waveform={waveform} />
      <div className="waves-played" style={{ clipPath: `inset(0 ${100 * (1 - played)}% 0 0)` }}>
        <Drawn waveform={waveform} />
      </div>
    </div>
  )
}

const Drawn = memo(({ waveform: { caller, agent } }: { waveform: Waveform }) => (
  <svg
    viewBox={`0 0 ${Math.max(caller?.length ?? 0, agent?.length ?? 0, 1)} 100`}
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path d={barsOf(caller ?? [], 25)} />
    <path d={barsOf(agent ?? [], 75)} />
  </svg>
))

const [mostPeak, mostHeight, leastHeight] = [255, 46, 1]

const barsOf = (peaks: readonly number[], middle: number) =>
  peaks
    .map((peak, at) => {
      const height = Math.max(leastHeight, (peak / mostPeak) * mostHeight)
      return `M${at} ${(middle - height / 2).toFixed(1)}h0.7v${height.toFixed(1)}h-0.7z`
    })
    .join('')
