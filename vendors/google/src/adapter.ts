import type { Adapter } from '@switchroom/kit/vendor'
import { model } from './model.ts'

export default { model } satisfies Adapter
