"""Every case and bracket of CASES (the collection of exact values), at gaps of 1 % and 0.1 %. Usage: cases.py NODEORDER cases.csv CASES"""
import json,subprocess,resource,csv,sys,os,tempfile,time
N=sys.argv[1]; out=csv.writer(open(sys.argv[2],'w'),lineterminator='\n')
out.writerow('network,traffic,routing,gap,exact_or_low,high,throughput,throughput_at_most,routing_gap,holds,cpu_seconds'.split(','))
d=json.load(open(sys.argv[3]))
tmp=tempfile.mkdtemp()
def guest(c):
    n=c['nodes'] if 'nodes' in c else len(c['targets'])
    t=c['traffic']
    if t=='all-to-all': return f"all-to-all:n={n},volume={1/(n-1)!r}"
    if t=='ring': rows=[(i,j,1.0) for i in range(n) for j in ((i+1)%n,(i-1)%n)]
    elif t=='permutation': rows=[(i,j,1.0) for i,j in enumerate(c['targets']) if i!=j]
    else: rows=c['rows']
    f=os.path.join(tmp,'g.csv'); open(f,'w').write('source,target,volume\n'+''.join(f'{a},{b},{v}\n' for a,b,v in rows)); return f
def run(spec,g,r):
    b=resource.getrusage(resource.RUSAGE_CHILDREN)
    p=subprocess.run([N,'map',spec,'--guest',g,'--order','row-major','--routing',r,'--json','--threads','1'],capture_output=True,text=True)
    e=resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode: print(spec,r,p.stderr[:200]); return None
    return json.loads(p.stdout),e.ru_utime+e.ru_stime-b.ru_utime-b.ru_stime
names={'ideal':'ideal','minimal_adaptive':'minimal-adaptive','ugal':'adaptive','minimal_valiant':'adaptive:shares=even'}
bad=0
for c in d['cases']:
    g=guest(c)
    for k,r in names.items():
        if k not in c or c[k] is None: continue
        x=float(c[k]['value'])
        for gap in ('0.01','0.001'):
            z=run(c['spec'],g,r+(',' if ':' in r else ':')+f'gap={gap},time=20')
            if z is None: bad+=1; continue
            o,cpu=z
            ok=o['throughput']<=x*(1+1e-9) and o['throughput_at_most']>=x*(1-1e-9)
            bad+=not ok
            out.writerow([c['spec'],c['traffic'],r,gap,x,x,o['throughput'],o['throughput_at_most'],o['routing_gap'],'yes' if ok else 'no',round(cpu,2)])
print('cases done, not inside:',bad)
for c in d['brackets']:
    if c['spec'].startswith('random-regular:n=4096') : pass
    import re
    n=c.get('nodes') or (len(c['targets']) if 'targets' in c else None)
    if n is None:
        t=json.loads(subprocess.run([N,'topology',c['spec'],'--json'],capture_output=True,text=True).stdout); c['nodes']=t['nodes']
    z=run(c['spec'],guest(c),'ideal:gap=0.01,time=60')
    if z is None: continue
    o,cpu=z; lo,hi=float(c['ideal_at_least']),float(c['ideal_at_most'])
    ok=o['throughput']<=hi and o['throughput_at_most']>=lo
    out.writerow([c['spec'],c['traffic'],'ideal','0.01',lo,hi,o['throughput'],o['throughput_at_most'],o['routing_gap'],'yes' if ok else 'no',round(cpu,2)])
print('done')
