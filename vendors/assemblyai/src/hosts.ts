import type { Setting } from '@switchroom/kit/vendor'

/** It hears on one host and transcribes on another, in every region; an operator gives either. */
export function hostOf({ base_url: given }: Setting['keywords'], part: 'api' | 'streaming'): string {
  const base = typeof given === 'string' ? given : 'https://api.assemblyai.com'
  return base.replace(/\/\/(api|streaming)\.(?=(\w+\.)?assemblyai\.com)/, `//${part}.`)
}
