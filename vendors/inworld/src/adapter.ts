import type { Adapter } from '@switchroom/kit/vendor'
import { voice } from './voice.ts'
import { voices } from './voices.ts'

export default { voice, voices } satisfies Adapter
