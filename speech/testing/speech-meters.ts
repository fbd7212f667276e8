import { metricsOf } from '@switchroom/contract/metrics/table'
import { Meters } from '@switchroom/process/meters'
import type { SpeechMeters } from '../src/http/server.ts'

/** Of one voice server, whose metrics nothing reads. */
export const speechMeters = (): SpeechMeters => new Meters(metricsOf('voice server'))
