import type { Catalogue } from '@switchroom/contract/providers'
import type { VoiceEntry } from '@switchroom/contract/speech'
import type { VoiceList } from '@switchroom/contract/voices'
import type { SettingsView } from '@switchroom/contract/settings'
import { useEffect, useRef, useState } from 'react'
import { open, path } from '../api/client.ts'
import { useFilters } from '../api/query-filters.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { FilterField } from '../ui/filter-field.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { ScopeSelect, useScopeChoice } from './scope-choice.tsx'

export default function VoicesPart({ agent }: AgentPartProps) {
  const can = useCan()
  const choosing = useScopeChoice()
  const catalogue = useGet<Catalogue>(can('providers') ? '/v1/providers' : null)
  const [{ vendor, language }, setFilter] = useFilters(['vendor', 'language'])
  const [text, setText] = useState('')
  const query = new URLSearchParams({ ...(vendor && { tts: vendor }), ...(language && { language }) })
  const voices = useGet<VoiceList>(`/v1/voices?${query}`)
  const sample = useSample()
  const settings = useGet<SettingsView>(path`/v1/agents/${agent}/settings`)
  const { send, busy, error } = useSend()
  const vendors = catalogue.data?.providers.filter(({ does, ready }) => does.includes('tts') && ready) ?? []
  const own = settings.data?.[choosing.scope]

  const use = async (tts: string, voice: string) => {
    const config = { ...own?.config, tts, voice }
    const body = {
      config,
      if_version: own?.version ?? 0,
      note: `voice ${voice}`,
      ...(choosing.isTeam && { team: true }),
    }
    if (await send('put', path`/v1/agents/${agent}/settings`, body))
      toast(`${agent} now speaks with ${voice}.`)
  }
  const wantedOf = (tts: string, voice: string): Wanted => ({
    tts,
    voice,
    ...(text && { text }),
    ...(language && { language }),
  })
  return (
    <div className="stack">
      {sample.playing ? (
        // Its text is in the field above.
        // oxlint-disable-next-line jsx-a11y/media-has-caption
        <audio key={sample.playing.address} src={sample.playing.address} autoPlay onEnded={sample.stop} />
      ) : null}
      <div className="fields">
        {vendors.length > 0 ? (
          <Select
            label="Vendor"
            value={vendor || (voices.data?.tts ?? '')}
            onChange={(value) => setFilter('vendor', value)}
            options={vendors.map(({ name }) => name)}
          />
        ) : null}
        <FilterField
          label="Language"
          hint="A tag such as en. Leave empty for all."
          value={language}
          onChange={(value) => setFilter('language', value)}
        />
        <TextField
          label="Sample text"
          hint="Leave empty for the default sentence."
          value={text}
          onChange={setText}
          maxLength={400}
        />
        <ScopeSelect {...choosing} />
      </div>
      <Refusal error={sample.error ?? error} />
      <Loaded of={voices}>
        {({ tts, voices: all }) => (
          <Table
            caption={`Voices of ${tts}`}
            rows={all}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Voice', cell: nameOf },
              { title: 'Language', cell: ({ language: spoken }) => spoken ?? 'Multiple' },
              { title: 'About', cell: aboutOf },
              {
                title: '',
                cell: ({ id, name }) => (
                  <div className="row">
                    <Button
                      busy={sample.loading === id}
                      onClick={() =>
                        sample.playing?.voice === id ? sample.stop() : void sample.play(wantedOf(tts, id))
                      }
                    >
                      {sample.playing?.voice === id ? 'Stop' : 'Play'} <span className="sr-only">{name}</span>
                    </Button>
                    {own?.config.voice === id ? (
                      <span className="soft">In use</span>
                    ) : (
                      <Button busy={busy} onClick={() => void use(tts, id)}>
                        Use <span className="sr-only">{name}</span>
                      </Button>
                    )}
                  </div>
                ),
              },
            ]}
            empty={
              <Empty title="No voices for this language">
                <p>Clear the language or choose another vendor.</p>
              </Empty>
            }
          />
        )}
      </Loaded>
    </div>
  )
}

const nameOf = ({ name, id }: VoiceEntry) => (
  <>
    {name} {name === id ? null : <div className="soft">{id}</div>}
  </>
)

const aboutOf = ({ description, gender, country, accent }: VoiceEntry) =>
  [description, gender, accent, country].filter(Boolean).join(', ')

interface Wanted {
  tts: string
  voice: string
  text?: string
  language?: string
}

/** Plays one sample at a time; leaving the page stops it. */
function useSample() {
  const [loading, setLoading] = useState<string | null>(null)
  const [playing, setPlaying] = useState<{ voice: string; address: string } | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const address = playing?.address
  const asked = useRef<AbortController | null>(null)
  useEffect(() => () => asked.current?.abort(), [])
  useEffect(() => {
    if (address !== undefined) return () => URL.revokeObjectURL(address)
  }, [address])
  const play = async (wanted: Wanted) => {
    asked.current?.abort() // a new sample replaces the one that plays
    const { signal } = (asked.current = new AbortController())
    setPlaying(null)
    setLoading(wanted.voice)
    setError(null)
    try {
      const answer = await open('post', '/v1/voices/sample', wanted, { signal })
      const sound = await answer.blob()
      setPlaying({ voice: wanted.voice, address: URL.createObjectURL(sound) })
    } catch (refused) {
      if (signal.aborted) return
      setError(refused instanceof Error ? refused : new Error(String(refused)))
    }
    setLoading(null)
  }
  return { play, stop: () => setPlaying(null), loading, playing, error }
}
