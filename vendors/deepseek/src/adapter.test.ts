import { join } from 'node:path'
import { conformance } from '@switchroom/kit/testing/conformance'
import { modelConformance } from '@switchroom/kit/testing/model-conformance'
import { openAiShapedStreams } from '@switchroom/kit/testing/openai-shaped-streams'
import { openAiShapedThinking, openAiShapedWire } from '@switchroom/kit/testing/openai-shaped-wire'
import { chat } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const wire = openAiShapedWire(chat)

conformance(folder, wire, openAiShapedThinking(chat))
modelConformance(folder, wire, openAiShapedStreams(chat))
