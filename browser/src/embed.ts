// What the gateway serves as /embed/switchroom.js, for pages without a build of their own.

export * from './browser.ts'
