import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Refusal } from '../../ui/feedback.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { opusOf, wavOf } from './conversion.ts'
import { errorOf, type Sound } from './sound.ts'

type Format = 'WAV' | 'Opus'

interface DownloadsProps {
  call: string
  load: () => Promise<Sound | null>
}

/** In the format that is kept, and in the other one, which the browser makes of it. */
export function Downloads({ call, load }: DownloadsProps) {
  const [busy, setBusy] = useState<Format | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const download = async (format: Format) => {
    setBusy(format)
    setError(null)
    try {
      const sound = await load()
      if (sound) saveFile(await as(format, sound.blob), `${call}.${format === 'WAV' ? 'wav' : 'ogg'}`)
    } catch (refused) {
      setError(errorOf(refused))
    } finally {
      setBusy(null)
    }
  }
  return (
    <>
      <div className="row">
        {(['WAV', 'Opus'] as const).map((format) => (
          <Button key={format} busy={busy === format} onClick={() => void download(format)}>
            Download {format}
          </Button>
        ))}
      </div>
      <Refusal error={error} />
    </>
  )
}

function as(format: Format, kept: Blob): Blob | Promise<Blob> {
  const isOpus = kept.type.includes('ogg')
  if (format === 'WAV') return isOpus ? wavOf(kept) : kept
  return isOpus ? kept : opusOf(kept)
}
