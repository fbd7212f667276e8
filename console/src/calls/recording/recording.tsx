import type { Waveform } from '@switchroom/contract/recordings'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Loaded, Progress } from '../../ui/feedback.tsx'
import { Section } from '../../ui/page.tsx'
import type { Playback } from './playback.ts'

const Player = lazy(() => import('./player.tsx'))

interface RecordingProps {
  call: string
  waveform: UseQueryResult<Waveform>
  playback: Playback | undefined
}

/** The call's recording, to be seen and heard. */
export function Recording({ call, waveform, playback }: RecordingProps) {
  return (
    <Section title="Recording" hint="Caller above, agent below. Select a word in the transcript to hear it.">
      <Loaded of={waveform} label="Loading recording">
        {(known) => (
          <Suspense fallback={<Progress label="Loading player" />}>
            {playback ? <Player call={call} waveform={known} playback={playback} /> : null}
          </Suspense>
        )}
      </Loaded>
    </Section>
  )
}
