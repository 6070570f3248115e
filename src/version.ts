/** The version of the package. A test holds it to `package.json`, which the neutral layers cannot read. */
export const version = '0.1.0'
