// What the gateway serves as /embed/switchroom.js, for pages without a build of their own.

import { SwitchroomCall } from './element.ts'

export * from './browser.ts'

if (!customElements.get('switchroom-call')) customElements.define('switchroom-call', SwitchroomCall)
