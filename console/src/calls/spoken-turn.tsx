import { useEffect, useMemo, useRef } from 'react'
import { Badge } from '../ui/badge.tsx'
import type { SaidTurn } from './conversation.ts'
import { useHeardTurn, type HeardTurn } from './recording/playback.ts'
import { wordsOf } from './recording/speech-times.ts'

export const SaidAt = ({ at }: { at: string }) => (
  <span className="said-at soft">
    <span className="sr-only">at </span>
    {at}
  </span>
)

interface SpokenTurnProps {
  turn: SaidTurn
  speaker: string
  /** When it was said, from the beginning of the call. */
  at: string
}

/** What one side said; in a recorded call to be heard from the turn or from a word on. */
export function SpokenTurn({ turn, speaker, at }: SpokenTurnProps) {
  const heard = useHeardTurn(turn.seq)
  return (
    <>
      {heard ? (
        <button
          type="button"
          className={`said-at soft said-play ${heard.isPlaying ? 'is-playing' : ''}`}
          aria-label={`${heard.isPlaying ? 'Pause' : 'Play from'} ${at}: ${speaker}`}
          onClick={() => (heard.isPlaying ? heard.playback.pause() : heard.playback.play(heard.fromS))}
        >
          {at}
        </button>
      ) : (
        <SaidAt at={at} />
      )}
      <div
        className={`bubble ${heard?.isHeard ? 'is-heard' : ''}`}
        aria-current={heard?.isHeard || undefined}
      >
        <div className="bubble-who">{speaker}</div>
        {heard ? <Words heard={heard} text={turn.text} /> : <p className="bubble-text">{turn.text}</p>}
        {turn.wasInterrupted ? <Badge tone="warn">Interrupted</Badge> : null}
      </div>
    </>
  )
}

/** For the keyboard there is the button of the turn. */
function Words({ heard, text }: { heard: HeardTurn; text: string }) {
  const { fromS, toS, playback, word: heardWord } = heard
  const words = useMemo(() => wordsOf({ text, fromS, toS }), [text, fromS, toS])
  const paragraph = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const element = paragraph.current
    const onClick = ({ target }: MouseEvent) => {
      const word = target instanceof HTMLElement ? words[Number(target.dataset['word'] ?? NaN)] : undefined
      const isSelecting = getSelection()?.type === 'Range'
      if (word && !isSelecting) playback.play(word.fromS)
    }
    element?.addEventListener('click', onClick)
    return () => element?.removeEventListener('click', onClick)
  }, [words, playback])
  return (
    <p className="bubble-text" ref={paragraph}>
      {words.map(({ text: word }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- words repeat, and never move
        <span key={at} data-word={at} className={at === heardWord ? 'word is-heard' : 'word'}>
          {word}
        </span>
      ))}
    </p>
  )
}
