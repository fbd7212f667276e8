declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakEvent {
    type: 'sentence' | 'word' | 'mark' | 'play' | 'end' | 'msg_terminated' | 'phoneme' | 'samplerate'
    /** In characters, from 1. */
    text_position: number
    /** Milliseconds from the start of this synthesis. */
    audio_position: number
  }

  export interface EspeakWorker {
    samplerate: number
    /** Words a minute. */
    rate: number
    set_voice(identifier: string, language: string, gender: number, age: number, variant: number): number
    list_voices(): { name: string; identifier: string; languages: { priority: number; name: string }[] }[]
    /** Synchronous; a callback that answers true stops it. */
    synthesize(text: string, callback: (samples: Int16Array, events: EspeakEvent[]) => boolean): void
  }

  export default function load(options: {
    print: (line: string) => void
  }): Promise<{ eSpeakNGWorker: new () => EspeakWorker }>
}
