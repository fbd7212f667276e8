import type { Alert } from './alert.ts'
import { callAlerts } from './call-alerts.ts'
import { processAlerts } from './process-alerts.ts'

export const alerts: readonly Alert[] = [...callAlerts, ...processAlerts]
