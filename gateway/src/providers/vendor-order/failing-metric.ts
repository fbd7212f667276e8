import type { InstalledVendors } from '@switchroom/kit/installed'
import { Gauge, type Registry } from 'prom-client'
import type { VendorWindow } from './vendor-window.ts'

/** One line for every installed vendor from the first scrape on; it names no org, agent or call. */
export function observeVendors(metrics: Registry, vendors: InstalledVendors, window: VendorWindow) {
  metrics.registerMetric(
    new Gauge({
      name: 'svc_vendor_failing',
      help: '1 for a vendor over the error line, 0 otherwise',
      labelNames: ['vendor'],
      registers: [],
      collect() {
        for (const { name } of vendors.all) this.set({ vendor: name }, window.isOverLine(name) ? 1 : 0)
      },
    }),
  )
}
