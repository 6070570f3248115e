import { it } from 'vitest'
import { checkOtherPeoplesData } from './support/others-property.ts'

it('changes no record of others and reports what is left, whatever the service does (30 runs)', () =>
  checkOtherPeoplesData(30))
