// What stands in for newer functions of JavaScript in the packages that run on Node 20.

export interface Settled<Value> {
  promise: Promise<Value>
  resolve: (value: Value | PromiseLike<Value>) => void
  reject: (reason?: unknown) => void
}

/** In place of the function of the same purpose that `Promise` has since Node 22. */
export function newSettled<Value>(): Settled<Value> {
  let resolve: Settled<Value>['resolve'] = () => {}
  let reject: Settled<Value>['reject'] = () => {}
  const promise = new Promise<Value>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}
