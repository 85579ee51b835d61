"""CPU seconds of searches beside those of another program. Usage: floors.py NODEORDER floors.csv [--one] [--only TEXT]"""
import subprocess,resource,csv,sys,time,json
N=sys.argv[1]; out=csv.writer(open(sys.argv[2],'w'),lineterminator='\n')
out.writerow('network,traffic,routing,threads,throughput,throughput_at_most,routing_gap,method,cpu_seconds,wall_seconds,sketch_cpu_seconds,sketch_gap'.split(','))
R='random-regular:n=%d,d=%d,seed=1'
rows=[(R%(256,8),'all-to-all','ideal:gap=0.01',.02,.01),(R%(1024,12),'all-to-all','ideal:gap=0.01',.25,.01),(R%(4096,15),'all-to-all','ideal:gap=0.004',4.6,.004),
('torus:16x16x16','all-to-all','ideal:gap=0.01',.65,0),('slim-fly:q=43','all-to-all','ideal:gap=0.008',16,.008),('dragonfly:p=1,a=16,h=8','all-to-all','ideal:gap=0.01,time=120',27,.01),
(R%(16384,16),'all-to-all','ideal:gap=0.017,time=300',34,.017),
(R%(256,8),'matching','ideal:gap=0.01',.25,.01),(R%(1024,12),'matching','ideal:gap=0.01',3.5,.01),(R%(4096,15),'matching','ideal:gap=0.02',25,.02),
('polarfly:q=31','matching','ideal:gap=0.01,time=120',24,.01),('hyperx:8x8x16','matching','ideal:gap=0.0102,time=120',61,.0102),('slim-fly:q=43','matching','ideal:gap=0.02,time=120',60,.29),
(R%(1024,12),'all-to-all','adaptive:gap=0.02',4.2,.02),(R%(1024,12),'matching','adaptive:gap=0.02',3.6,.02),
(R%(1024,12),'all-to-all','adaptive:shares=even,gap=0.02',1.6,.02),(R%(1024,12),'matching','adaptive:shares=even,gap=0.02',3.8,.02),
('dragonfly:p=1,a=16,h=8','all-to-all','adaptive:gap=0.02',.4,.02),('dragonfly:p=1,a=16,h=8','matching','adaptive:gap=0.025,time=120',60,.025)]
def one(spec,args,th):
    b=resource.getrusage(resource.RUSAGE_CHILDREN); t=time.time()
    p=subprocess.run([N,'topology',spec]+args+['--threads',str(th)],capture_output=True,text=True)
    e=resource.getrusage(resource.RUSAGE_CHILDREN)
    return p, round(e.ru_utime+e.ru_stime-b.ru_utime-b.ru_stime,2), round(time.time()-t,2)
only=sys.argv[sys.argv.index('--only')+1] if '--only' in sys.argv else ''
rows=[row for row in rows if only in row[1]+' '+row[2]]
for spec,tr,r,f,g in rows:
    for th in (1,2) if f>1 and f<30 and '--one' not in sys.argv else (1,):
        p,cpu,wall=one(spec,['--throughput='+tr,'--routing',r],th)
        rec=next(csv.DictReader(p.stdout.splitlines()),None)
        if rec is None: print(spec,tr,r,p.stderr[:300]); continue
        out.writerow([spec,tr,r,th,rec['throughput'],rec['throughput_at_most'],rec['routing_gap'],rec['method'],cpu,wall,f,g]); sys.stdout.flush()
for n,d,f in () if only not in 'longest matching itself' else ((4096,15,.06),(16384,16,.6),(32768,16,2.8)):
    p,cpu,wall=one(R%(n,d),['--throughput=ring:n=2','--routing','ecmp-hop','--output','/dev/null'],1)
    out.writerow([R%(n,d),'longest matching itself','',1,'','','','',cpu,wall,f,''])
