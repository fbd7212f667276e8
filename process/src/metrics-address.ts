import { port } from './setting-parsing.ts'
import type { ReadSetting } from './setting-reader.ts'

export interface MetricsAddress {
  host: string
  /** The first port that is tried. */
  port: number
  /** How many are tried, one after the other; a port that the operator chose is the only one. */
  ports: number
  isPortSet: boolean
  /** The setting of the port. */
  setting: string
}

export function readMetricsAddress(
  read: ReadSetting,
  setting: string,
  usual: { port: number; ports: number },
): MetricsAddress {
  const chosen = read(setting, port)
  return {
    host: read('SVC_METRICS_HOST', String) ?? '127.0.0.1',
    port: chosen ?? usual.port,
    ports: chosen === undefined ? usual.ports : 1,
    isPortSet: chosen !== undefined,
    setting,
  }
}
