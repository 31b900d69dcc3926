import { ifSome, metrics, names, promql, shell, ssh, type Family } from '../family.ts';
import { ofTarget } from '../usual-checks.ts';

const gpu: Family = {
  id: 'gpu',
  names: names(`(?:node|host|nvidia|dcgm)?(?:gpu|dcgm|nvidia)(?!\\w*(?:idle|exporter|operator|plugin
    |queue|pod|job|worker|quota|node\\w*(?:down|notready|unreachable|disk|cpu|memory|load)))
    (?!(?!\\w*mem)\\w*(?:util|usage))\\w+`),
  metrics: metrics('DCGM_FI_(?!DEV_GPU_UTIL)\\w+|nvidia_(?:smi|gpu)_\\w+'),
  meaning: 'A GPU reports errors, heat or full memory.',
  impact: 'Programs on it fail or slow down; after some errors it needs a reset.',
  causes: [
    {
      id: 'xid', cause: 'The driver reported an error of the GPU (Xid)',
      mechanism: '13, 31 and 43 are mostly the program; 48, 63, 64, 79 and 94 are the hardware.',
      test: ifSome(`max(DCGM_FI_DEV_XID_ERRORS{${ofTarget}})`),
      note: 'The answer is the number of the last error.',
    },
    {
      id: 'heat', cause: 'It is too hot and slows itself down',
      mechanism: 'A fan, the temperature of the room, or constant load.',
      test: promql(`max(DCGM_FI_DEV_GPU_TEMP{${ofTarget}})`, { atLeast: 85, notUpTo: 75 }),
      note: 'It is in degrees Celsius.',
    },
    {
      id: 'memory', cause: 'Programs use all of its memory',
      mechanism: 'The next allocation fails; many take all of it at their start on purpose.',
      test: promql(`max(DCGM_FI_DEV_FB_USED{${ofTarget}}
        / (DCGM_FI_DEV_FB_USED{${ofTarget}} + DCGM_FI_DEV_FB_FREE{${ofTarget}}))`,
        { atLeast: 0.95, notUpTo: 0.8 }),
    },
  ],
  steps: [
    {
      action: 'Read the state of the GPUs and who uses them.',
      why: 'A GPU that is missing in the list has fallen off the bus.',
      command: ssh('nvidia-smi', '{node|instance.host}'),
      expected: 'All GPUs are there, with the processes that belong on them.',
    },
    {
      action: 'Read the errors that the driver reported.',
      why: 'The number behind Xid tells the program from the hardware.',
      command: ssh('sudo dmesg -T | grep -i xid | tail -n 20', '{node|instance.host}'),
    },
  ],
};

const networkDevice: Family = {
  id: 'network-device',
  names: names(`
    snmp(?:interface|if|port|link)\\w+|(?:switch|router|firewall)(?:port|interface|link)\\w*
    |(?:interface|uplink|link)(?:is)?(?:down|flapping)|bgp(?!exporter)\\w*(?:down|flapping)`),
  reads: /^(?![^]*(?<![\w:])node_network_)/u,
  metrics: metrics('if(?:Oper|Admin)Status|if(?:HC)?(?:In|Out)\\w+|bgpPeerState'),
  meaning: 'A port of a network device is down, has errors or is full.',
  impact: 'What is behind it is cut off, or has one path fewer.',
  causes: [
    {
      id: 'cable', cause: 'A cable, an optic or the other side is bad',
      mechanism: 'It goes up and down, or frames arrive damaged.',
      test: ifSome(`max(rate(ifInErrors{${ofTarget},ifIndex="{ifIndex}"}[15m]))`),
    },
    {
      id: 'device-restarted', cause: 'The device itself restarted',
      mechanism: 'All of its ports went down at the same moment.',
      test: promql(`min(sysUpTime{${ofTarget}}) / 100`, { atMost: 3600, notFrom: 86_400 }),
      note: 'It is in seconds.',
    },
  ],
  steps: [
    {
      action: 'List all ports of the device that are enabled but down.',
      why: 'One port means a cable; all of a kind mean the device or the other side.',
      command: promql(`ifOperStatus{${ofTarget}} == 2 unless on (instance, ifIndex)
        ifAdminStatus{${ofTarget}} == 2`),
      expected: 'Only the port of the alert; if it is missing, somebody switched it off.',
    },
    {
      action: 'Check that the device answers.',
      why: 'Loss on the way to it explains gaps in what SNMP says.',
      command: shell('ping -c 5 -- {instance.host}'),
    },
  ],
};

const windowsService: Family = {
  id: 'windows-service',
  names: names('windows(?:server)?service\\w*'),
  metrics: metrics('windows_service_(?:state|status|info)'),
  meaning: 'A Windows service does not run.',
  impact: 'What it provides is missing until it is started again.',
  unit: 'state',
  causes: [
    {
      id: 'rebooted', cause: 'The machine was restarted and the service starts late or not at all',
      mechanism: 'Updates restart machines; a service of start type Manual stays stopped.',
      test: promql(`time() - max(windows_system_boot_time_timestamp_seconds{${ofTarget}}
        or windows_system_boot_time_timestamp{${ofTarget}}
        or windows_system_system_up_time{${ofTarget}})`,
        { atMost: 3600, notFrom: 86_400 }),
      note: 'It is in seconds.',
      isAge: true,
    },
    {
      id: 'disk-full', cause: 'A disk of the machine is full',
      mechanism: 'A service that can no longer write its data or its log ends.',
      test: promql(`min(windows_logical_disk_free_bytes{${ofTarget},volume=~"[A-Z]:"}
        / windows_logical_disk_size_bytes{${ofTarget},volume=~"[A-Z]:"})`,
        { atMost: 0.01, notFrom: 0.05 }),
    },
  ],
  steps: [
    {
      action: 'On the machine, run Get-Service for it, and Get-CimInstance Win32_Service for its ' +
        'start type, account and exit code.',
      why: 'It tells stopped by hand from ended with an error.',
      expected: 'Running, with start type Automatic.',
    },
    {
      action: 'On the machine, run Get-WinEvent -LogName System -MaxEvents 50.',
      why: 'The Service Control Manager says why it ended, and what it waited for.',
      expected: 'An entry that names the service: 7031 or 7034 if it ended with an error, 7038 ' +
        'or 7041 if its account could not log in.',
    },
  ],
};

export const deviceFamilies: readonly Family[] = [gpu, networkDevice, windowsService];
