import { ifSome, metrics, names, promql, ssh, type Family } from '../family.ts';
import { ofTarget, onHost } from '../usual-checks.ts';

/** One exporter may report on several of them. */
const own = `${ofTarget},ups="{ups}"`;

const ups: Family = {
  id: 'ups',
  names: names(`(?:apc|nut)?ups(?:is)?(?:onbatt|(?:low|high)(?:batt|load|temp|runtime
    |(?:in|out)put|voltage)|lessthan|acinput|batt|load|over(?:load|temp)|replacebatt
    |power(?:fail|lost|loss)|(?:in|out)put(?:volt|freq|power|lost|fail|off|source)|runtime
    |temperature)\\w*`),
  metrics: metrics(`apcupsd_\\w+|network_ups_tools_\\w+
    |ups(?:SecondsOnBattery|EstimatedChargeRemaining|EstimatedMinutesRemaining|OutputSource)`),
  meaning: 'A UPS runs on its battery, or its battery or load is at its limit.',
  impact: 'When the battery is empty, everything behind it loses power at once.',
  causes: [
    {
      id: 'power-lost', cause: 'The mains power is gone',
      mechanism: 'An outage, a tripped fuse or a pulled plug.',
      test: ifSome(`max(apcupsd_battery_time_on_seconds{${own}}
        or network_ups_tools_ups_status{${own},flag="OB"})`),
      isDirect: true,
    },
    {
      id: 'battery-old', cause: 'The battery is worn out',
      mechanism: 'After three to five years it holds a fraction of its charge.',
      // On battery, the voltage of a good one falls as well.
      test: ifSome(`max(network_ups_tools_ups_status{${own},flag="RB"}
        or apcupsd_battery_volts{${own}} / apcupsd_battery_nominal_volts{${own}} < bool 0.95
        unless apcupsd_battery_time_on_seconds{${own}} > 0)`),
    },
    {
      id: 'overload', cause: 'Too much is connected to it',
      mechanism: 'The higher the load, the shorter it lasts; above 100 % it switches off.',
      test: promql(`max(apcupsd_ups_load_percent{${own}} or network_ups_tools_ups_load{${own}})`,
        { atLeast: 80, notUpTo: 60 }),
    },
    {
      id: 'self-test', cause: 'It tests or calibrates itself',
      mechanism: 'It switches to its battery on purpose, for seconds or until it is nearly empty.',
      test: ifSome(`max(network_ups_tools_ups_status{${own},flag="CAL"})`),
    },
  ],
  steps: [
    {
      action: 'Read for how many seconds the battery lasts.',
      why: 'It tells how much time is left to act.',
      command: promql(`min(apcupsd_battery_time_left_seconds{${own}}
        or network_ups_tools_battery_runtime{${own}})`),
      expected: 'Longer than everything behind it takes to shut down.',
    },
    {
      action: 'Read what the UPS says of itself (apcupsd).',
      why: 'STATUS, LASTXFER and SELFTEST tell an outage from a test and from a bad battery.',
      command: ssh('apcaccess status'),
      expected: 'STATUS is ONLINE.',
    },
    {
      action: 'Shut down what is behind it cleanly before the battery is empty.',
      why: 'A clean stop spares repairs of file systems and databases.',
      expected: 'Data stores first, then the rest, with minutes to spare.',
      risk: 'high: what is shut down serves nobody',
      undo: 'Start it again when the power is back and the battery is charged.',
    },
  ],
};

const sensors: Family = {
  id: 'hardware-sensors',
  names: names(`ipmi(?!collector|exporter|sel|chassispower)\\w+|host(?:physicalcomponenttoohot
    |nodeovertemperaturealarm)|(?:host|node)?edac\\w+|snmpfrucomponent\\w*
    |(?:host|node|server|cpu|hardware|chassis|inlet|smart(?:ctl|mon|device|disk)?|disk|drive|nvme)
    (?:over)?temp(?:erature)?(?:is)?(?:too|over)?(?:high|critical|warning|alarm|trip\\w*)
    |(?:psu|powersupply|fan(?:speed)?)(?:fail\\w*|fault\\w*|critical|zero)`),
  metrics: metrics(`ipmi_(?!chassis_power|bmc)\\w+_state|ipmi_(?:fan_speed|temperature|voltage)_\\w+
    |node_hwmon_(?:temp|fan)_\\w+|node_edac_\\w+
    |cefcFRUPowerOperStatus`),
  meaning: 'A sensor of the machine is out of its range, or its memory has errors.',
  impact: 'It slows down, switches off or returns wrong data unless somebody acts.',
  causes: [
    {
      id: 'heat', cause: 'It is too hot',
      mechanism: 'The air in the room, a blocked inlet, or load without a pause.',
      // A critical alarm is exported as 0.001 degrees.
      test: ifSome(`max(ipmi_temperature_state{${ofTarget}}
        or node_hwmon_temp_alarm{${ofTarget}} > 0
        or node_hwmon_temp_crit_alarm_celsius{${ofTarget}} > bool 0)`),
    },
    {
      id: 'fan', cause: 'A fan has failed',
      mechanism: 'The others run faster, and heat follows.',
      // A connector without a fan always reports 0.
      test: ifSome(`max(ipmi_fan_speed_state{${ofTarget}}
        or (node_hwmon_fan_rpm{${onHost}} == bool 0)
        * (max_over_time(node_hwmon_fan_rpm{${onHost}}[1d]) > bool 0))`),
      isDirect: true,
    },
    {
      id: 'power', cause: 'A power supply or its feed has failed',
      mechanism: 'The other one carries all of the load, until it fails as well.',
      test: ifSome(`max(ipmi_voltage_state{${ofTarget}} or ipmi_current_state{${ofTarget}}
        or ipmi_power_state{${ofTarget}})`),
    },
    {
      id: 'memory', cause: 'A memory module is failing',
      mechanism: 'Single errors are corrected; more of them in one module come before worse ones.',
      test: ifSome(`sum(increase(node_edac_correctable_errors_total{${ofTarget}}[1h]))
        + sum(increase(node_edac_uncorrectable_errors_total{${ofTarget}}[1h]))`),
    },
  ],
  steps: [
    {
      action: 'Read the last events of the management controller.',
      why: 'It names the part, and whether the event is over.',
      command: ssh('sudo ipmitool sel list last 20'),
      expected: 'An event from the time of the alert that names a part.',
    },
    {
      action: 'Read all sensors.',
      why: 'One hot sensor means a part, all of them mean the room.',
      command: ssh('sudo ipmitool sdr elist all'),
    },
    {
      action: 'Read what the kernel reported.',
      why: 'Memory errors are logged with the slot of the module.',
      command: ssh('sudo dmesg -T | grep -iE "edac|mce|machine check|thermal" | tail -n 20'),
    },
  ],
};

export const powerAndSensorFamilies: readonly Family[] = [ups, sensors];
