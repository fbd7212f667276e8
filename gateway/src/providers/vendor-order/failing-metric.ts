import type { InstalledVendors } from '@switchroom/kit/installed'
import type { GatewayMeters } from '../../database/room.ts'
import type { VendorWindow } from './vendor-window.ts'

/** One line for every installed vendor from the first scrape on; it names no org, agent or call. */
export function observeVendors(meters: GatewayMeters, vendors: InstalledVendors, window: VendorWindow) {
  meters.limit('vendor', new Set(vendors.all.map(({ name }) => name)))
  meters.gauge('svc_vendor_failing', () =>
    vendors.all.map(({ name }) => [window.isOverLine(name) ? 1 : 0, name] as const),
  )
}
